import { Type } from 'typebox';
import { shape } from '../../../wire/shape.ts';

const Count = (description: string): ReturnType<typeof Type.Integer> => Type.Integer({ description });

export const OrderCounts = shape('OrderCounts', {
  total: Type.Integer({ description: 'Number of all orders.' }),
  by_status: Type.Object(
    {
      received: Count('Orders that have not left yet.'),
      collecting_sample: Count('Orders whose sample is on its way, or is yet to be taken.'),
      sample_with_lab: Count('Orders whose sample is at the laboratory.'),
      completed: Count('Orders with their final results.'),
      failed: Count('Orders that ended without results.'),
      cancelled: Count('Orders that were cancelled.'),
    },
    { description: 'Number of orders by the first part of their newest status.' },
  ),
  by_low_level_status: Type.Array(
    Type.Object({
      low_level_status: Type.String({ description: 'The last part of the newest status.' }),
      count: Count('Number of orders with this status.'),
    }),
    { description: 'Number of orders by the last part of their newest status, without statuses that no order has.' },
  ),
  overdue: Type.Object(
    {
      total: Count('Number of all overdue orders.'),
      not_sent: Count('Kits that were not sent 7 days after their newest event or their activate_by.'),
      in_transit: Count('Kits in transit, either way, without an event for 7 days.'),
      with_customer: Count('Kits that are with the customer, or were registered, without an event for 14 days.'),
      not_collected: Count(
        'Orders with a draw whose sample was not taken 30 days after their newest event or their activate_by, and ' +
          'that have no appointment.',
      ),
      appointment_missed: Count('Orders whose appointment ended more than a day ago without a draw.'),
      at_laboratory: Count(
        'Orders whose sample is with the laboratory without an event for 5 days, or for the worst_case_tat_days of ' +
          'their lab test if these are more.',
      ),
    },
    { description: 'Open orders whose newest event is too old for their status. Each order counts in one kind.' },
  ),
  with_open_critical_result: Count('Orders with a critical result that nobody has acknowledged.'),
  critical_results: Type.Object(
    {
      open: Count('Critical results that nobody has acknowledged.'),
      acknowledged: Count('Critical results that were acknowledged and wait for a sign-off.'),
      signed_off: Count('Critical results that were signed off.'),
    },
    { description: 'Number of critical results by their status. An order may have several.' },
  ),
});
