// What a carrier's statuses mean for an order, by the statuses and details of EasyPost trackers.
import type { LowLevelStatus } from '../../orders/status/table.ts';

/** What a scan says of a parcel, as far as it moves an order. */
export const STAGES = ['moving', 'out_for_delivery', 'delivered', 'problem', 'failure', 'lost'] as const;
export type Stage = (typeof STAGES)[number];
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
 * The stage that a status with its detail tells of. null: nothing that moves an order, as a label that was printed or cancelled,
 * a parcel that waits to be picked up, or a status that is not known.
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

/** The status of an order whose parcel has come to a stage. That a parcel is brought to a laboratory today is no status. */
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
