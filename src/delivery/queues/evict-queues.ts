import { RoundRobin } from '../../fair/round-robin.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

/**
 * If a worker owns too many queues, it releases this share of the allowed number in addition. Otherwise every new queue
 * would make the worker examine all its queues again.
 */
const PART_MADE_FREE = 1 / 50;
/** No poll takes a released queue before this time, so that workers take other queues that wait first. */
const OTHERS_FIRST_SECONDS = 5;

/**
 * Chooses the queues to release if a worker owns more than `most`. It releases a few more than necessary, so that there
 * is capacity for new queues.
 */
export function evictQueues(queues: EndpointQueue[], most: number): EndpointQueue[] {
  const going = chooseQueuesToEvict(queues, queues.length - Math.floor(most * (1 - PART_MADE_FREE)));
  const now = performance.now();
  for (const queue of going) queue.othersFirstSeconds = Math.max(OTHERS_FIRST_SECONDS, (queue.startsAt - now) / 1000);
  return going;
}

/**
 * Sorts queues by how long they should stay. Queues with deliveries under way or with a replay come first. Among equal
 * queues, the most recently used come first.
 */
const byUse = (a: EndpointQueue, b: EndpointQueue): number =>
  Number(isBusy(b)) - Number(isBusy(a)) || b.usedAt - a.usedAt;
const isBusy = (queue: EndpointQueue): boolean => !queue.isIdle || queue.hasReplay;

/**
 * Chooses `count` queues to release. It takes them from the organisation with the most queues, and within it from the
 * team with the most, until the largest organisations and teams have equally many. Within a team it takes idle queues
 * before others, and among equals the one that was used longest ago.
 */
export function chooseQueuesToEvict(queues: Iterable<EndpointQueue>, count: number): EndpointQueue[] {
  const byOrg = new Map<string, RoundRobin<EndpointQueue>>();
  for (const queue of [...queues].toSorted(byUse)) {
    const { owner } = queue;
    let ofOrg = byOrg.get(owner.org);
    if (!ofOrg) byOrg.set(owner.org, (ofOrg = new RoundRobin()));
    ofOrg.add(owner, queue);
  }
  const ranked: { queue: EndpointQueue; rank: number }[] = [];
  for (const ofOrg of byOrg.values()) {
    let rank = 0;
    for (const queue of ofOrg.drain()) {
      rank += 1;
      ranked.push({ queue, rank });
    }
  }
  ranked.sort((a, b) => b.rank - a.rank || a.queue.usedAt - b.queue.usedAt);
  return ranked.slice(0, count).map(({ queue }) => queue);
}
