// When the steps of a demo order happened. An order of a clinic takes days, so its statuses lie on different days.
import { daysAfter, localDay, momentOfLocalTime } from '../labs/appointments/slots/time-zones.ts';
import { isOpen, type CollectionMethod, type LowLevelStatus } from '../labs/orders/status/statuses.ts';
import type { OrderPlan } from './order-plans.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

type Hours = Partial<Record<LowLevelStatus, number>>;

/** The hours from the order of a kit to each of its statuses. */
const OF_KIT: Hours = {
  cancelled: 5,
  do_not_process: 26,
  transit_customer: 21,
  problem_in_transit_customer: 50,
  out_for_delivery: 69,
  with_customer: 75,
  failure_to_deliver_to_customer: 76,
  testkit_registered: 96,
  transit_lab: 121,
  lost: 150,
  problem_in_transit_lab: 152,
  failure_to_deliver_to_lab: 195,
  delivered_to_lab: 191,
  lab_processing_blocked: 199,
  sample_error: 216,
  completed: 240,
  corrected: 290,
};

/** The hours from an order to each of its statuses, if a person draws the sample. */
const OF_DRAW: Hours = {
  cancelled: 5,
  appointment_pending: 2,
  appointment_scheduled: 4,
  appointment_cancelled: 20,
  draw_completed: 30,
  partial_results: 51,
  redraw_available: 54,
  sample_error: 54,
  completed: 77,
  corrected: 124,
};

const hoursTo = (method: CollectionMethod, status: LowLevelStatus): number =>
  (method === 'testkit' ? OF_KIT : OF_DRAW)[status] ?? 0;

/** Patients order between 9:30 and 14:30 of their day. */
const FROM_MINUTES = 570;
const SPREAD_MINUTES = 300;
/**
 * The ages of newest statuses. Orders that ended are spread over weeks. An open one is not overdue by chance, and
 * neither is the order that repeats one with a sample error.
 */
const OPEN_HOURS = { least: 5, spread: 30 };
const ENDED_HOURS = { least: 12, spread: 400 };
/** A step of this size reaches every remainder of the numbers above, so neighbours have quite different ages. */
const STRIDE = 37;

/** Returns the moment of a status of the order. */
export type MomentOf = (status: LowLevelStatus) => string;

/** Returns the function for an order whose last status is that of the plan. `position` is that of the order. */
export function momentsOf(plan: OrderPlan, zone: string, position: number): MomentOf {
  const { method, status } = plan;
  const { least, spread } = isOpen(status) || status === 'sample_error' ? OPEN_HOURS : ENDED_HOURS;
  const age = (plan.daysAgo ?? 0) * DAY_HOURS || least + ((position * STRIDE) % spread);
  const latest = Date.now() - hoursTo(method, status) * HOUR_MS;
  const wanted = latest - age * HOUR_MS;
  const minutes = FROM_MINUTES + ((position * STRIDE) % SPREAD_MINUTES);
  const onDay = (day: string): number => momentOfLocalTime(day, minutes, zone) ?? wanted;
  const day = localDay(wanted, zone);
  // The hour of the day may lie after the hour that was wanted, and so after now.
  const placed = onDay(day) <= latest - MINUTE_MS ? onDay(day) : onDay(daysAfter(day, -1));
  return (low) => new Date(placed + hoursTo(method, low) * HOUR_MS).toISOString();
}
