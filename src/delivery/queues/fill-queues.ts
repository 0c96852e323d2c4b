import type { Db } from '../../db/open-database.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import { ServingOrder } from './serving-order.ts';
import { readQueue, type FirstAttemptsWanted, type RetriesWanted } from './read-queue.ts';
import type { Threshold } from '../../fair/threshold.ts';

const READ_AT_ONCE = 32;

/**
 * Reads the waiting deliveries of queues with free slots, in round robin by team. The number of deliveries that a team
 * may start now limits how many of its queues we read.
 */
export async function fillQueues(
  db: Db,
  ready: EndpointQueue[],
  permits: Threshold,
  servingOrder = new ServingOrder(),
): Promise<void> {
  const now = performance.now();
  const queues = new Map<string, EndpointQueue>();
  const firsts: FirstAttemptsWanted[] = [];
  const retries: RetriesWanted[] = [];
  const ofTeam = new Map<string, number>();
  for (const queue of servingOrder.of(ready).drain()) {
    if (queues.size === READ_AT_ONCE) break;
    const already = ofTeam.get(queue.team_id) ?? 0;
    // We always read one queue of each team. Otherwise rows of the team's other queues, which we read before, could use
    // all its permits again and again, and we would never read this queue.
    if (already >= Math.max(1, permits.capacityFor(queue.owner))) continue;
    const first = queue.firstAttemptsWanted();
    const retry = queue.retriesWanted(now);
    if (first) firsts.push(first);
    if (retry) retries.push(retry);
    if (!first && !retry) continue;
    queues.set(queue.webhook_id, queue);
    servingOrder.served(queue);
    ofTeam.set(queue.team_id, already + 1);
  }
  const queueOf = ({ webhook_id }: { webhook_id: string }): EndpointQueue => queues.get(webhook_id) as EndpointQueue;
  try {
    const found = await readQueue(db, firsts, retries);
    for (const one of firsts) queueOf(one).addFirsts(found.firsts.get(one.webhook_id) ?? [], one.most);
    for (const one of retries) queueOf(one).addRetries(found.retries.get(one.webhook_id) ?? [], one.most, now);
  } catch (error) {
    for (const one of [...firsts, ...retries]) queueOf(one).endRead();
    for (const queue of queues.values()) queue.look();
    throw error;
  }
}
