// Maps the statuses of EasyPost trackers to stages of a parcel, and these to statuses of an order.
import type { LowLevelStatus } from '../orders/status/statuses.ts';

/** The stages of a parcel that change the status of an order. */
export const STAGES = ['moving', 'out_for_delivery', 'delivered', 'problem', 'failure', 'lost'] as const;
export type Stage = (typeof STAGES)[number];
/** The two journeys of a kit: `outbound` to the customer, and `inbound` back to the laboratory. */
export type Leg = 'outbound' | 'inbound';

const PROBLEMS: ReadonlySet<string> = new Set([
  'address_correction',
  'awaiting_information',
  'damaged',
  'delayed',
  'delivery_exception',
  'held',
  'missorted',
  'transit_exception',
  'weather_delay',
]);
const FAILURES: ReadonlySet<string> = new Set(['failure', 'refused', 'return']);
const LOST: ReadonlySet<string> = new Set(['expired', 'lost']);

/**
 * Returns the stage for an EasyPost status and its detail. Returns null if the scan does not move an order: a label was
 * printed or cancelled, a parcel waits for pick-up, or we do not know the status.
 */
export function stageOf(status: string, detail: string): Stage | null {
  if (status === 'pre_transit' || status === 'cancelled') return null;
  if (status === 'delivered') return 'delivered';
  if (LOST.has(detail)) return 'lost';
  if (status === 'return_to_sender' || status === 'failure' || FAILURES.has(detail)) return 'failure';
  if (status !== 'in_transit' && status !== 'out_for_delivery' && status !== 'available_for_pickup') return null;
  if (PROBLEMS.has(detail)) return 'problem';
  if (status === 'available_for_pickup') return null;
  return status === 'out_for_delivery' ? status : 'moving';
}

/**
 * The status of an order for each leg and stage of its parcel. Orders have no status for a parcel that is out for
 * delivery to the laboratory, so that stage counts as moving.
 */
export const STATUS_OF: Readonly<Record<Leg, Readonly<Record<Stage, LowLevelStatus>>>> = {
  outbound: {
    moving: 'transit_customer',
    out_for_delivery: 'out_for_delivery',
    delivered: 'with_customer',
    problem: 'problem_in_transit_customer',
    failure: 'failure_to_deliver_to_customer',
    lost: 'lost',
  },
  inbound: {
    moving: 'transit_lab',
    out_for_delivery: 'transit_lab',
    delivered: 'delivered_to_lab',
    problem: 'problem_in_transit_lab',
    failure: 'failure_to_deliver_to_lab',
    lost: 'lost',
  },
};
