import type { Db } from '../../db/open.ts';
import type { Lane } from './lane.ts';
import { Turns } from './in-turn.ts';
import { readQueue, type FirstAttemptsWanted, type RetriesWanted } from './queue.ts';
import type { Threshold } from '../../fair/threshold.ts';

const READ_AT_ONCE = 32;

/** Reads what waits in lanes that have room for more: of each team in turn, no more lanes than it may begin deliveries. */
export async function readLanes(db: Db, ready: Lane[], places: Threshold, turns = new Turns()): Promise<void> {
  const now = performance.now();
  const lanes = new Map<string, Lane>();
  const firsts: FirstAttemptsWanted[] = [];
  const retries: RetriesWanted[] = [];
  const ofTeam = new Map<string, number>();
  for (const lane of turns.of(ready).inTurn()) {
    if (lanes.size === READ_AT_ONCE) break;
    const already = ofTeam.get(lane.team_id) ?? 0;
    // One lane in any case: what was read before has taken the team's room, and would again.
    if (already >= Math.max(1, places.roomFor(lane.owner))) continue;
    const first = lane.firstAttemptsWanted();
    const retry = lane.retriesWanted(now);
    if (first) firsts.push(first);
    if (retry) retries.push(retry);
    if (!first && !retry) continue;
    lanes.set(lane.webhook_id, lane);
    turns.served(lane);
    ofTeam.set(lane.team_id, already + 1);
  }
  const laneOf = ({ webhook_id }: { webhook_id: string }): Lane => lanes.get(webhook_id) as Lane;
  try {
    const found = await readQueue(db, firsts, retries);
    for (const one of firsts) laneOf(one).addFirsts(found.firsts.get(one.webhook_id) ?? [], one.most);
    for (const one of retries) laneOf(one).addRetries(found.retries.get(one.webhook_id) ?? [], one.most, now);
  } catch (error) {
    for (const one of [...firsts, ...retries]) laneOf(one).endRead();
    for (const lane of lanes.values()) lane.look();
    throw error;
  }
}
