// Which status of a laboratory order may follow which, as one pure table.
// migrations/0143_draws_without_an_appointment.sql holds the same rules inside the database; rules-drift.test.ts
// keeps both equal.
import type { CollectionMethod, LowLevelStatus } from './table.ts';
import { isOpen, topLevel } from './table.ts';

/** The newest event of a kit's way to the user. */
type OutboundLeg = 'transit_customer' | 'out_for_delivery' | 'with_customer' | 'problem_in_transit_customer';

/**
 * What the table must know of an order's events so far. The last status alone does not decide: a kit goes on
 * along its leg after a registration, and its way to the laboratory opens with one.
 */
export interface OrderProgress {
  method: CollectionMethod;
  /** The newest status; null before the first event. */
  last: LowLevelStatus | null;
  /** Null for a kit that was not sent yet, and for every other method. */
  leg: OutboundLeg | null;
  /**
   * `open`: a kit of which nothing says yet whether its user is known; `awaiting`: it waits to be registered;
   * `done`: the user is known, as always for the other methods.
   */
  registration: 'open' | 'awaiting' | 'done';
}

/** A status that may come next, with the progress once it has. */
export interface Step {
  status: LowLevelStatus;
  progress: OrderProgress;
}

type Successors = Partial<Record<LowLevelStatus, readonly LowLevelStatus[]>>;

const RESULTS: Successors = {
  completed: ['corrected'],
  corrected: ['corrected'],
};

const KIT_TO_CUSTOMER: Record<OutboundLeg, readonly LowLevelStatus[]> = {
  transit_customer: ['out_for_delivery', 'problem_in_transit_customer', 'lost'],
  out_for_delivery: ['with_customer', 'problem_in_transit_customer', 'lost'],
  problem_in_transit_customer: ['transit_customer', 'failure_to_deliver_to_customer', 'lost'],
  with_customer: ['transit_lab'],
};

const KIT_TO_LAB: Successors = {
  transit_lab: ['delivered_to_lab', 'problem_in_transit_lab', 'lost'],
  problem_in_transit_lab: ['transit_lab', 'failure_to_deliver_to_lab', 'lost'],
  delivered_to_lab: ['completed', 'lab_processing_blocked', 'sample_error'],
  lab_processing_blocked: ['delivered_to_lab', 'completed', 'sample_error'],
  ...RESULTS,
};

/** What the laboratory tells once somebody has walked in: an appointment is no condition, at whatever stage it is. */
const WALKED_IN: readonly LowLevelStatus[] = ['partial_results', 'completed', 'redraw_available', 'sample_error'];

const WALK_IN_REQUISITION: readonly LowLevelStatus[] = ['appointment_pending', ...WALKED_IN, 'cancelled'];

const WALK_IN: Successors = {
  ordered: ['requisition_created', 'requisition_bypassed', 'cancelled'],
  requisition_created: WALK_IN_REQUISITION,
  requisition_bypassed: WALK_IN_REQUISITION,
  appointment_pending: ['appointment_scheduled', 'appointment_cancelled', ...WALKED_IN, 'cancelled'],
  appointment_scheduled: ['appointment_pending', 'appointment_cancelled', ...WALKED_IN, 'cancelled'],
  appointment_cancelled: ['appointment_pending', 'appointment_scheduled', ...WALKED_IN, 'cancelled'],
  redraw_available: ['partial_results', 'completed', 'sample_error', 'cancelled'],
  partial_results: ['partial_results', 'completed', 'redraw_available', 'sample_error'],
  ...RESULTS,
};

const AFTER_DRAW: Successors = {
  draw_completed: ['partial_results', 'completed', 'sample_error', 'cancelled'],
  partial_results: ['partial_results', 'completed', 'sample_error'],
  ...RESULTS,
};

/** Whoever drew the sample, a team or a laboratory may tell so: not every visit is booked through the service. */
const PHLEBOTOMY: Successors = {
  ordered: ['requisition_created', 'requisition_bypassed', 'cancelled'],
  requisition_created: ['appointment_pending', 'draw_completed', 'cancelled'],
  requisition_bypassed: ['appointment_pending', 'draw_completed', 'cancelled'],
  appointment_pending: ['appointment_scheduled', 'appointment_cancelled', 'draw_completed', 'cancelled'],
  appointment_scheduled: ['appointment_scheduled', 'appointment_cancelled', 'draw_completed', 'cancelled'],
  appointment_cancelled: ['appointment_pending', 'appointment_scheduled', 'draw_completed', 'cancelled'],
  ...AFTER_DRAW,
};

const ON_SITE: Successors = {
  ordered: ['requisition_created', 'requisition_bypassed', 'cancelled'],
  requisition_created: ['draw_completed', 'cancelled'],
  requisition_bypassed: ['draw_completed', 'cancelled'],
  ...AFTER_DRAW,
};

/** An order before its first event. */
export function start(method: CollectionMethod): OrderProgress {
  return { method, last: null, leg: null, registration: method === 'testkit' ? 'open' : 'done' };
}

/** Every status that may come next. Empty when the order is at its end. */
export function next(progress: OrderProgress): Step[] {
  return successors(progress).map((status) => ({ status, progress: follow(progress, status) }));
}

/** The progress after one more status; null when it may not come next. */
export function advance(progress: OrderProgress, status: string): OrderProgress | null {
  return next(progress).find((step) => step.status === status)?.progress ?? null;
}

/** The progress after these low-level statuses, oldest first; null when one of them was not allowed. */
export function progressOf(method: CollectionMethod, statuses: readonly string[]): OrderProgress | null {
  let progress: OrderProgress | null = start(method);
  for (const status of statuses) {
    progress = progress && advance(progress, status);
  }
  return progress;
}

/** True when the order may be cancelled as it stands. */
export function canCancel(progress: OrderProgress): boolean {
  return successors(progress).includes('cancelled');
}

/**
 * Whether an order can get this day on which it becomes active: only before its requisition, with which it goes to its laboratory. A day that
 * was overtaken can be taken away as long as the order is received.
 */
export function canReschedule({ method, last, leg }: OrderProgress, day: string | null): boolean {
  if (last === null || leg !== null) return false;
  if (last === 'ordered' || last === 'awaiting_registration') return true;
  // A kit registered on its way is received again by its status: its leg says that it has left.
  return day === null && topLevel(method, last) === 'received';
}

function successors(progress: OrderProgress): readonly LowLevelStatus[] {
  const { method, last } = progress;
  if (last === null) return ['ordered'];
  switch (method) {
    case 'testkit':
      return kitSuccessors(progress, last);
    case 'walk_in_test':
      return WALK_IN[last] ?? [];
    case 'at_home_phlebotomy':
      return PHLEBOTOMY[last] ?? [];
    case 'on_site_collection':
      return ON_SITE[last] ?? [];
  }
}

function kitSuccessors(progress: OrderProgress, last: LowLevelStatus): readonly LowLevelStatus[] {
  const atOrToLab = KIT_TO_LAB[last];
  if (atOrToLab) return atOrToLab;
  if (!isOpen(last)) return [];
  return [...registrationOfKit(progress), ...shipmentOfKit(progress), ...refusalOfKit(progress, last)];
}

function registrationOfKit(progress: OrderProgress): readonly LowLevelStatus[] {
  if (isBeingRegistered(progress)) return ['testkit_registered'];
  switch (progress.registration) {
    case 'open':
      return ['awaiting_registration', 'requisition_created', 'requisition_bypassed'];
    case 'awaiting':
      return ['requisition_created', 'requisition_bypassed'];
    case 'done':
      return [];
  }
}

function shipmentOfKit(progress: OrderProgress): readonly LowLevelStatus[] {
  const { last, leg, registration } = progress;
  if (registration === 'open' || isBeingRegistered(progress)) return [];
  if (leg === null) {
    // A kit can be registered that its user holds already, without an event of its way there.
    return last === 'testkit_registered' ? ['transit_customer', 'transit_lab'] : ['transit_customer'];
  }
  if (leg === 'with_customer' && registration === 'awaiting') return [];
  return KIT_TO_CUSTOMER[leg];
}

function refusalOfKit({ leg }: OrderProgress, last: LowLevelStatus): readonly LowLevelStatus[] {
  if (topLevel('testkit', last) !== 'received') return [];
  return leg === null ? ['cancelled', 'do_not_process'] : ['do_not_process'];
}

function isBeingRegistered({ last, registration }: OrderProgress): boolean {
  return registration === 'awaiting' && (last === 'requisition_created' || last === 'requisition_bypassed');
}

function follow(progress: OrderProgress, status: LowLevelStatus): OrderProgress {
  return {
    method: progress.method,
    last: status,
    leg: isOutbound(status) ? status : progress.leg,
    registration: registrationAfter(progress.registration, status),
  };
}

function isOutbound(status: LowLevelStatus): status is OutboundLeg {
  return status in KIT_TO_CUSTOMER;
}

function registrationAfter(
  before: OrderProgress['registration'],
  status: LowLevelStatus,
): OrderProgress['registration'] {
  switch (status) {
    case 'awaiting_registration':
      return 'awaiting';
    case 'testkit_registered':
      return 'done';
    case 'requisition_created':
    case 'requisition_bypassed':
      return before === 'open' ? 'done' : before;
    default:
      return before;
  }
}
