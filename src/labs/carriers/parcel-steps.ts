// Pure functions that compute the statuses of an order from the scans of one of its parcels.
import { next, type OrderProgress } from '../orders/status/status-rules.ts';
import type { LowLevelStatus } from '../orders/status/statuses.ts';
import { STATUS_OF, type Leg, type Stage } from './stages.ts';

const TO_CUSTOMER: ReadonlySet<LowLevelStatus> = new Set(Object.values(STATUS_OF.outbound));
const TO_LAB: ReadonlySet<LowLevelStatus> = new Set(Object.values(STATUS_OF.inbound));
/**
 * The statuses that an order may pass while its kit travels back to the laboratory. The kit reached the customer
 * before, so they include the statuses of the way to the customer.
 */
const THERE_AND_BACK: ReadonlySet<LowLevelStatus> = new Set([
  STATUS_OF.outbound.moving,
  STATUS_OF.outbound.out_for_delivery,
  STATUS_OF.outbound.delivered,
  ...TO_LAB,
]);

/**
 * Returns the statuses that an order gets from all scans of one parcel. `scans` must be sorted by the times of the
 * scans, not by arrival.
 * The result is empty if the order already has that status or a later one, if the order has ended, or if the status
 * table does not allow the step. For example, a kit cannot come back before somebody registers it.
 */
export function stepsBy(progress: OrderProgress, leg: Leg, scans: readonly Stage[]): LowLevelStatus[] {
  const stage = stageReached(scans);
  if (stage === null) return [];
  const isBack = progress.last !== null && progress.last !== 'lost' && TO_LAB.has(progress.last);
  const stands = leg === 'inbound' ? progress.last : progress.leg;
  const isUnderWay = leg === 'inbound' ? isBack : progress.leg !== null;
  if (leg === 'outbound' && isBack) return [];
  const target = STATUS_OF[leg][stage];
  if (stands === target) return [];
  // A `moving` scan that arrives after `out_for_delivery` is an older scan, so it changes nothing. After a problem,
  // `moving` is a new status.
  if (stage === 'moving' && stands === STATUS_OF.outbound.out_for_delivery) return [];
  // If the carrier scanned the parcel nowhere on its way, nobody sent it. Then `lost` only means that its label has
  // expired.
  if (stage === 'lost' && !isUnderWay && scans.every((each) => each === 'lost')) return [];
  return shortestWay(progress, target, leg === 'outbound' ? TO_CUSTOMER : THERE_AND_BACK);
}

/**
 * Returns the stage that the parcel has reached. The first scan that reports an end (delivered, failure or lost)
 * decides. If no scan reports an end, the newest scan decides, but we ignore `moving` after `out_for_delivery`.
 */
function stageReached(scans: readonly Stage[]): Stage | null {
  const end = scans.find((stage) => stage === 'delivered' || stage === 'failure' || stage === 'lost');
  if (end) return end;
  let reached: Stage | null = null;
  for (const stage of scans) if (stage !== 'moving' || reached !== 'out_for_delivery') reached = stage;
  return reached;
}

/**
 * Returns the shortest path in the status table to `target` that passes only statuses in `over`. The result is empty if
 * there is no such path.
 */
function shortestWay(from: OrderProgress, target: LowLevelStatus, over: ReadonlySet<LowLevelStatus>): LowLevelStatus[] {
  const seen = new Set<LowLevelStatus>();
  let round: { progress: OrderProgress; steps: LowLevelStatus[] }[] = [{ progress: from, steps: [] }];
  while (round.length > 0) {
    const further = round.flatMap(({ progress, steps }) =>
      next(progress)
        .filter(({ status }) => over.has(status) && !seen.has(status))
        .map((step) => ({ progress: step.progress, steps: [...steps, step.status] })),
    );
    const found = further.find(({ progress }) => progress.last === target);
    if (found) return found.steps;
    for (const { progress } of further) seen.add(progress.last as LowLevelStatus);
    round = further;
  }
  return [];
}
