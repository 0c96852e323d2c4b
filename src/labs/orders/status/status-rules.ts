// Which status of an order may follow which, as a pure table. migrations/0143_draws_without_an_appointment.sql contains
// the same rules for the database. status-rules-drift.test.ts checks that the two are equal.
import type { CollectionMethod, LowLevelStatus } from './statuses.ts';
import { isOpen, topLevel } from './statuses.ts';

/** The newest event of a kit on its way to the user. */
type OutboundLeg = 'transit_customer' | 'out_for_delivery' | 'with_customer' | 'problem_in_transit_customer';

/**
 * The facts about an order's events on which the next status depends. The last status alone is not enough. For example,
 * a user may register a kit while it is on its way to the user. After that event, the kit continues to the user, but it
 * may also start its way to the laboratory.
 */
export interface OrderProgress {
  method: CollectionMethod;
  /** The newest status, or null before the first event. */
  last: LowLevelStatus | null;
  /** Null if nobody has sent the kit yet, or if the order is not for a kit. */
  leg: OutboundLeg | null;
  /**
   * `open`: the order is for a kit, and no event shows yet whether its user is known. `awaiting`: the kit waits for its
   * registration. `done`: the user is known. For other collection methods, the user is always known.
   */
  registration: 'open' | 'awaiting' | 'done';
}

/** A status that may come next, and the progress of the order after it. */
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

/**
 * The statuses that the laboratory may report after a patient has walked in. The order needs no appointment for them.
 * If it has one, the status of the appointment does not matter.
 */
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

/** Somebody may report the draw of an order without an appointment, because not every visit is booked with Phial. */
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

/** Returns the progress of an order before its first event. */
export function start(method: CollectionMethod): OrderProgress {
  return { method, last: null, leg: null, registration: method === 'testkit' ? 'open' : 'done' };
}

/** Returns every status that may come next. Returns an empty list if no status may follow. */
export function next(progress: OrderProgress): Step[] {
  return successors(progress).map((status) => ({ status, progress: follow(progress, status) }));
}

/** Returns the progress after one more status. Returns null if this status may not come next. */
export function advance(progress: OrderProgress, status: string): OrderProgress | null {
  return next(progress).find((step) => step.status === status)?.progress ?? null;
}

/** Returns the progress after these low-level statuses, oldest first. Returns null if one of them was not allowed. */
export function progressOf(method: CollectionMethod, statuses: readonly string[]): OrderProgress | null {
  let progress: OrderProgress | null = start(method);
  for (const status of statuses) {
    progress = progress && advance(progress, status);
  }
  return progress;
}

/** Returns whether the order can be cancelled in its current status. */
export function canCancel(progress: OrderProgress): boolean {
  return successors(progress).includes('cancelled');
}

/**
 * Returns whether the day on which the order becomes active can change to `day`. A new day is possible only before the
 * order has a requisition, because we send the order to the laboratory with its requisition. Null removes the day. This
 * is possible longer, while the status is `received` and no kit has left, because by then the day has no effect.
 */
export function canReschedule({ method, last, leg }: OrderProgress, day: string | null): boolean {
  if (last === null || leg !== null) return false;
  if (last === 'ordered' || last === 'awaiting_registration') return true;
  // If a user registers a kit on its way to the user, the status of the order becomes `received` again. Then `leg`
  // shows that the kit has left.
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
    // A user may register a kit that has arrived although the carrier reported no event. Then the kit may go to the
    // laboratory next.
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
