// The steps by which a laboratory takes an order to a status.
import type { LowLevelStatus } from './table.ts';
import { statusesOf } from './table.ts';
import type { OrderProgress, Step } from './rules.ts';
import { advance, next } from './rules.ts';

/**
 * `registration_required`: a kit gets there only once its user has registered it.
 * `unreachable`: no further event leads there.
 */
export type StatusPath =
  { ok: true; steps: LowLevelStatus[] } | { ok: false; reason: 'registration_required' | 'unreachable' };

// The first of these that may come next is the way to success. Results come first, so that optional stages
// (an appointment at a service center, partial results) are left out; a kit is sent before it can come back.
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

/** Who takes the steps: a simulation makes the appointments that it tells of, a laboratory makes none. */
type TakenBy = 'simulation' | 'laboratory';

/**
 * The statuses from here to the target, which is the last of them: none when the order has it already.
 * They follow the way to success and leave it as seldom and as early as the target asks for. A kit is never
 * registered on the way, since that would invent a patient, and a cancellation acts on the order as it stands.
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

/** A search in rounds: each follows the way to success to its end, and the next one starts a step beside it. */
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

/** The walk itself and every longer one on the way to success, up to where another has been. */
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
