// Finds the steps by which a simulation or a laboratory moves an order to a status.
import type { LowLevelStatus } from './statuses.ts';
import { statusesOf } from './statuses.ts';
import type { OrderProgress, Step } from './status-rules.ts';
import { advance, next } from './status-rules.ts';

/**
 * `registration_required`: the order can reach the status only after a user has registered the kit. `unreachable`: no
 * sequence of events leads to the status.
 */
export type StatusPath =
  { ok: true; steps: LowLevelStatus[] } | { ok: false; reason: 'registration_required' | 'unreachable' };

// The normal way to completion. From each status, the order takes the first status of this list that may come next.
// Results are at the beginning of the list, so the way skips optional statuses, such as an appointment at a service
// center or partial results. The way of a kit to the user comes before its way to the laboratory.
const TO_SUCCESS: readonly LowLevelStatus[] = [
  'ordered',
  'completed',
  'transit_customer',
  'out_for_delivery',
  'with_customer',
  'transit_lab',
  'delivered_to_lab',
  'draw_completed',
  'requisition_created',
  'appointment_pending',
  'appointment_scheduled',
];

const KIT_REGISTRATION: ReadonlySet<LowLevelStatus> = new Set([
  'awaiting_registration',
  'requisition_created',
  'requisition_bypassed',
  'testkit_registered',
]);

const OF_APPOINTMENTS: ReadonlySet<LowLevelStatus> = new Set([
  'appointment_pending',
  'appointment_scheduled',
  'appointment_cancelled',
]);

/**
 * Who takes the steps. A simulation makes appointments, so it may take their statuses. A laboratory makes none, so its
 * steps contain no status of an appointment.
 */
type TakenBy = 'simulation' | 'laboratory';

/**
 * Finds the statuses that lead from the current status to the target, which is the last of them. The list is empty if
 * the order has the target status already. The path follows the normal way to completion, with as few detours as
 * possible, and each of them as early as possible. It never registers a kit, because a registration would need an
 * invented patient. A cancellation is always a single step.
 */
export function pathTo(progress: OrderProgress, target: LowLevelStatus, takenBy: TakenBy = 'laboratory'): StatusPath {
  if (progress.last === target) return { ok: true, steps: [] };
  if (!statusesOf(progress.method).includes(target)) return { ok: false, reason: 'unreachable' };
  if (target === 'cancelled' || target === 'do_not_process') {
    return advance(progress, target) ? { ok: true, steps: [target] } : { ok: false, reason: 'unreachable' };
  }
  const steps = findStepsOrNull(progress, target, (from) => stepsOf(takenBy, from));
  if (steps) return { ok: true, steps };
  const isKit = progress.method === 'testkit';
  const waits = isKit && findStepsOrNull(progress, target, next) !== null;
  return { ok: false, reason: waits ? 'registration_required' : 'unreachable' };
}

type StepsFrom = (progress: OrderProgress) => Step[];

interface Walk {
  progress: OrderProgress;
  steps: LowLevelStatus[];
}

function stepsOf(takenBy: TakenBy, progress: OrderProgress): Step[] {
  const steps = next(progress);
  if (progress.method === 'testkit') return steps.filter((step) => !KIT_REGISTRATION.has(step.status));
  if (takenBy === 'laboratory') return steps.filter((step) => !OF_APPOINTMENTS.has(step.status));
  const isBeforeVisit = progress.method === 'at_home_phlebotomy' && progress.last !== 'appointment_scheduled';
  return isBeforeVisit ? steps.filter((step) => step.status !== 'draw_completed') : steps;
}

/**
 * Searches in rounds. Each round follows the normal way to completion up to its end. The next round takes one more step
 * of any kind from each status that this round has reached, and follows the normal way from there.
 */
function findStepsOrNull(from: OrderProgress, target: LowLevelStatus, stepsFrom: StepsFrom): LowLevelStatus[] | null {
  const seen = new Set<string>();
  let round: Walk[] = [{ progress: from, steps: [] }];
  while (round.length > 0) {
    const walks = round.flatMap((walk) => walkToSuccess(walk, stepsFrom, seen));
    const found = walks.find((walk) => walk.progress.last === target);
    if (found) return found.steps;
    round = walks.flatMap((walk) => stepsFrom(walk.progress).map((step) => extend(walk, step)));
  }
  return null;
}

/**
 * Returns the walk `begin`, and every longer walk that follows the normal way to completion. It stops where an earlier
 * walk has already been.
 */
function walkToSuccess(begin: Walk, stepsFrom: StepsFrom, seen: Set<string>): Walk[] {
  const walks: Walk[] = [];
  let walk: Walk | null = begin;
  while (walk && !seen.has(keyOf(walk.progress))) {
    seen.add(keyOf(walk.progress));
    walks.push(walk);
    const step = successStep(stepsFrom(walk.progress));
    walk = step && extend(walk, step);
  }
  return walks;
}

function successStep(options: readonly Step[]): Step | null {
  for (const status of TO_SUCCESS) {
    const step = options.find((option) => option.status === status);
    if (step) return step;
  }
  return null;
}

function extend(walk: Walk, step: Step): Walk {
  return { progress: step.progress, steps: [...walk.steps, step.status] };
}

function keyOf({ last, leg, registration }: OrderProgress): string {
  return `${last} ${leg} ${registration}`;
}
