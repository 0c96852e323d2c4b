// Orders by how far they are. The service lists orders by the last part of their status, so a group is a list of these.
type Group = { label: string; about: string; statuses: readonly string[] };

export const ORDER_GROUPS = {
  received: {
    label: 'Received',
    about: 'Have not left yet',
    statuses: ['ordered', 'awaiting_registration', 'testkit_registered', 'requisition_created', 'requisition_bypassed'],
  },
  collecting_sample: {
    label: 'Collecting sample',
    about: 'On the way, or yet to be drawn',
    statuses: [
      'transit_customer',
      'out_for_delivery',
      'with_customer',
      'transit_lab',
      'problem_in_transit_customer',
      'problem_in_transit_lab',
      'appointment_pending',
      'appointment_scheduled',
      'appointment_cancelled',
      'redraw_available',
    ],
  },
  sample_with_lab: {
    label: 'Sample with lab',
    about: 'Drawn, or at the laboratory',
    statuses: ['draw_completed', 'delivered_to_lab', 'lab_processing_blocked', 'partial_results'],
  },
  completed: { label: 'Completed', about: 'Have their final results', statuses: ['completed', 'corrected'] },
  failed: {
    label: 'Failed',
    about: 'Ended without results',
    statuses: ['failure_to_deliver_to_customer', 'failure_to_deliver_to_lab', 'sample_error', 'lost'],
  },
  cancelled: { label: 'Cancelled', about: 'Were called off', statuses: ['cancelled', 'do_not_process'] },
} as const satisfies Record<string, Group>;

const GROUPS: Readonly<Record<string, Group>> = ORDER_GROUPS;

/** The statuses by which the service finds the orders of a group. A status that is no group stands for itself. */
export const statusesOf = (status: string): string[] =>
  Object.hasOwn(GROUPS, status) ? [...(GROUPS[status] as Group).statuses] : [status];
