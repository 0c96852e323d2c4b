// The statuses of a laboratory order. status-rules.ts states which status may follow which.
import type { CollectionMethod as Offered } from '../../catalogue/schemas.ts';

const TABLE = {
  testkit: {
    received: ['ordered', 'awaiting_registration', 'testkit_registered', 'requisition_created', 'requisition_bypassed'],
    collecting_sample: [
      'transit_customer',
      'out_for_delivery',
      'with_customer',
      'transit_lab',
      'problem_in_transit_customer',
      'problem_in_transit_lab',
    ],
    sample_with_lab: ['delivered_to_lab', 'lab_processing_blocked'],
    completed: ['completed', 'corrected'],
    failed: ['failure_to_deliver_to_customer', 'failure_to_deliver_to_lab', 'sample_error', 'lost'],
    cancelled: ['cancelled', 'do_not_process'],
  },
  walk_in_test: {
    received: ['ordered', 'requisition_created', 'requisition_bypassed'],
    collecting_sample: ['appointment_pending', 'appointment_scheduled', 'appointment_cancelled', 'redraw_available'],
    sample_with_lab: ['partial_results'],
    completed: ['completed', 'corrected'],
    failed: ['sample_error'],
    cancelled: ['cancelled'],
  },
  at_home_phlebotomy: {
    received: ['ordered', 'requisition_created', 'requisition_bypassed'],
    collecting_sample: ['appointment_pending', 'appointment_scheduled', 'appointment_cancelled', 'draw_completed'],
    sample_with_lab: ['partial_results'],
    completed: ['completed', 'corrected'],
    failed: ['sample_error'],
    cancelled: ['cancelled'],
  },
  on_site_collection: {
    received: ['ordered', 'requisition_created', 'requisition_bypassed'],
    collecting_sample: [],
    sample_with_lab: ['draw_completed', 'partial_results'],
    completed: ['completed', 'corrected'],
    failed: ['sample_error'],
    cancelled: ['cancelled'],
  },
} as const satisfies Record<Offered, Record<string, readonly string[]>>;

/** The ways to collect a sample. The method is the middle part of every status. */
export type CollectionMethod = keyof typeof TABLE;

/** The values of the first part of a status. */
export type TopLevelStatus = keyof (typeof TABLE)['testkit'];

/** The values of the last part of a status, for all methods. */
export type LowLevelStatus = (typeof TABLE)[CollectionMethod][TopLevelStatus][number];

/** A complete status, as we store and send it. An example is `received.testkit.ordered`. */
export type OrderStatus = {
  [M in CollectionMethod]: {
    [T in TopLevelStatus]: `${T}.${M}.${(typeof TABLE)[M][T][number]}`;
  }[TopLevelStatus];
}[CollectionMethod];

export const COLLECTION_METHODS = Object.keys(TABLE) as CollectionMethod[];

/** The values of `status_detail` of an event. It may also be null. */
export const STATUS_DETAILS = [
  'fulfillment_error',
  'date_of_collection_unspecified',
  'demographic_information_unspecified',
  'demographic_information_mismatch',
  'sample_quantity_not_sufficient',
  'sample_contaminated',
  'sample_stability_exceeded',
  'sample_hemolyzed',
  'sample_improper_collection',
] as const;

const TOP_LEVELS: Record<CollectionMethod, Map<LowLevelStatus, TopLevelStatus>> = {
  testkit: indexByLowLevel('testkit'),
  walk_in_test: indexByLowLevel('walk_in_test'),
  at_home_phlebotomy: indexByLowLevel('at_home_phlebotomy'),
  on_site_collection: indexByLowLevel('on_site_collection'),
};

const ENDED: ReadonlySet<LowLevelStatus> = new Set(
  COLLECTION_METHODS.flatMap((method) => {
    const { completed, failed, cancelled } = TABLE[method];
    return [...completed, ...failed, ...cancelled];
  }),
);

const COMPLETED: ReadonlySet<LowLevelStatus> = new Set(COLLECTION_METHODS.flatMap((method) => TABLE[method].completed));

const CANCELLED: ReadonlySet<LowLevelStatus> = new Set(COLLECTION_METHODS.flatMap((method) => TABLE[method].cancelled));

function indexByLowLevel(method: CollectionMethod): Map<LowLevelStatus, TopLevelStatus> {
  const index = new Map<LowLevelStatus, TopLevelStatus>();
  for (const [top, lows] of Object.entries(TABLE[method])) {
    for (const low of lows) index.set(low, top as TopLevelStatus);
  }
  return index;
}

/** Returns the low-level statuses, such as `ordered`, that exist for a collection method. */
export function statusesOf(method: CollectionMethod): LowLevelStatus[] {
  return [...TOP_LEVELS[method].keys()];
}

/** Returns the top level of a low-level status: `received` for `ordered`. Throws if the method has no such status. */
export function topLevel(method: CollectionMethod, low: LowLevelStatus): TopLevelStatus {
  const top = TOP_LEVELS[method].get(low);
  if (!top) throw new Error(`${method} has no status ${low}`);
  return top;
}

/** Returns the complete status, such as `received.testkit.ordered`. Throws if the method has no such status. */
export function fullStatus(method: CollectionMethod, low: LowLevelStatus): OrderStatus {
  return `${topLevel(method, low)}.${method}.${low}` as OrderStatus;
}

/** Returns the name that we use for a low-level status. Callers may also send `registered`, an older name. */
export const currentName = (low: string): string => (low === 'registered' ? 'testkit_registered' : low);

type Parts = Readonly<{ top: TopLevelStatus; method: CollectionMethod; low: LowLevelStatus }>;

const PARTS: ReadonlyMap<string, Parts> = new Map(
  COLLECTION_METHODS.flatMap((method) =>
    statusesOf(method).map((low) => [fullStatus(method, low), split(fullStatus(method, low))]),
  ),
);

/** Splits a complete status into its three parts. */
export const partsOf = (full: string): Parts => PARTS.get(full) ?? split(full);

function split(full: string): Parts {
  const [top, method, low] = full.split('.') as [TopLevelStatus, CollectionMethod, string];
  return { top, method, low: currentName(low) as LowLevelStatus };
}

/**
 * Returns whether an order with this newest status is under way. A completed order is not, although the laboratory may
 * still correct its results.
 */
export function isOpen(low: LowLevelStatus): boolean {
  return !ENDED.has(low);
}

/** Returns whether an order with this newest status was cancelled, by the team or by anybody else. */
export function isCancelled(low: LowLevelStatus): boolean {
  return CANCELLED.has(low);
}

/** Returns whether an order with this newest status has its final results, including corrected results. */
export function isCompleted(low: LowLevelStatus): boolean {
  return COMPLETED.has(low);
}

const BEFORE_COLLECTION: ReadonlySet<LowLevelStatus> = new Set([
  'transit_customer',
  'out_for_delivery',
  'with_customer',
  'problem_in_transit_customer',
  'appointment_pending',
  'appointment_scheduled',
  'appointment_cancelled',
]);

/** Returns whether no sample of an order with this newest status is collected yet, as far as we know. */
export const isBeforeCollection = (method: CollectionMethod, low: LowLevelStatus): boolean =>
  topLevel(method, low) === 'received' || BEFORE_COLLECTION.has(low);

/** The statuses in which the laboratory has not received the kit yet. */
export const KIT_NOT_BACK: readonly LowLevelStatus[] = [...TABLE.testkit.received, ...TABLE.testkit.collecting_sample];
