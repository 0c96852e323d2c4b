// Where an order goes by what carriers have told of one of its parcels; pure.
import { next, type OrderProgress } from '../../orders/status/rules.ts';
import type { LowLevelStatus } from '../../orders/status/table.ts';
import { STATUS_OF, type Leg, type Stage } from './stages.ts';

const TO_CUSTOMER: ReadonlySet<LowLevelStatus> = new Set(Object.values(STATUS_OF.outbound));
const TO_LAB: ReadonlySet<LowLevelStatus> = new Set(Object.values(STATUS_OF.inbound));
/** What comes back has been there. */
const THERE_AND_BACK: ReadonlySet<LowLevelStatus> = new Set([
  STATUS_OF.outbound.moving,
  STATUS_OF.outbound.out_for_delivery,
  STATUS_OF.outbound.delivered,
  ...TO_LAB,
]);

/**
 * The statuses that an order gets by all scans of a parcel, which are given in the order of their own times, however they
 * came. None where it is there or further already, where it has ended, or where the status table does not let it go there,
 * as a kit that comes back before it was registered.
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
  // A scan of what lies behind; after a problem it goes on.
  if (stage === 'moving' && stands === STATUS_OF.outbound.out_for_delivery) return [];
  // What nobody has seen on its way was not sent: its label has run out.
  if (stage === 'lost' && !isUnderWay && scans.every((each) => each === 'lost')) return [];
  return shortestWay(progress, target, leg === 'outbound' ? TO_CUSTOMER : THERE_AND_BACK);
}

/** Where the parcel is: its first end, whatever was scanned after it; else its newest problem, or how far it came since. */
function stageReached(scans: readonly Stage[]): Stage | null {
  const end = scans.find((stage) => stage === 'delivered' || stage === 'failure' || stage === 'lost');
  if (end) return end;
  let reached: Stage | null = null;
  for (const stage of scans) if (stage !== 'moving' || reached !== 'out_for_delivery') reached = stage;
  return reached;
}

/** By the status table, over these statuses alone; none where there is no way. */
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
