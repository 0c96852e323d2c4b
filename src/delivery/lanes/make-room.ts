import { RoundRobin } from '../../fair/round-robin.ts';
import type { Lane } from './lane.ts';

/** So much is made free at one go, that not each lane that comes has all others looked at. */
const PART_MADE_FREE = 1 / 50;
/** What had to make room for others is taken again after it, behind whoever has waited meanwhile. */
const TURN_OF_OTHERS_SECONDS = 5;

/** What others wait for was taken already: answers what has to go of the lanes that are held, for no more than `most` to stay. */
export function makeRoom(lanes: Lane[], most: number): Lane[] {
  const going = lanesToLetGo(lanes, lanes.length - Math.floor(most * (1 - PART_MADE_FREE)));
  const now = performance.now();
  for (const lane of going) lane.othersFirstSeconds = Math.max(TURN_OF_OTHERS_SECONDS, (lane.startsAt - now) / 1000);
  return going;
}

/** What has something under way stays before others; of these, what was begun or taken last. */
const byUse = (a: Lane, b: Lane): number => Number(isBusy(b)) - Number(isBusy(a)) || b.usedAt - a.usedAt;
const isBusy = (lane: Lane): boolean => !lane.isIdle || lane.hasReplay;

/**
 * So many of the lanes as make room for others: of the organisation that holds the most, and in it of the team that does,
 * and so on until all that hold more than others are left with as many. Of a team, those that hang or have nothing to do.
 */
export function lanesToLetGo(lanes: Iterable<Lane>, count: number): Lane[] {
  const byOrg = new Map<string, RoundRobin<Lane>>();
  for (const lane of [...lanes].toSorted(byUse)) {
    const { owner } = lane;
    let ofOrg = byOrg.get(owner.org);
    if (!ofOrg) byOrg.set(owner.org, (ofOrg = new RoundRobin()));
    ofOrg.add(owner, lane);
  }
  const ranked: { lane: Lane; rank: number }[] = [];
  for (const ofOrg of byOrg.values()) {
    let rank = 0;
    for (const lane of ofOrg.inTurn()) {
      rank += 1;
      ranked.push({ lane, rank });
    }
  }
  ranked.sort((a, b) => b.rank - a.rank || a.lane.usedAt - b.lane.usedAt);
  return ranked.slice(0, count).map(({ lane }) => lane);
}
