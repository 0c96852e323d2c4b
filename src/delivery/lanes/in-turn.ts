import { RoundRobin } from '../../fair/round-robin.ts';
import type { Lane } from './lane.ts';

/** Of so many organisations and teams it is kept in mind who had a turn before whom. */
const MOST_SERVED = 10_000;

/**
 * The turns of organisations, and of the teams of each, over rounds that end before each had one: those come first that were
 * never served, then whose last turn was the longest ago, wherever their lanes stand.
 */
export class Turns {
  readonly #servedAt = new Map<string, number>();
  #served = 0;

  /** The lanes in the order of turns; whoever serves one says so. */
  of(lanes: Iterable<Lane>): RoundRobin<Lane> {
    const orgs = new Map<string, Map<string, Lane[]>>();
    for (const lane of lanes) {
      const { org, team } = lane.owner;
      let teams = orgs.get(org);
      if (!teams) orgs.set(org, (teams = new Map()));
      const ofTeam = teams.get(team);
      if (ofTeam) ofTeam.push(lane);
      else teams.set(team, [lane]);
    }
    const turns = new RoundRobin<Lane>();
    for (const teams of this.#longestAgoFirst(orgs))
      for (const ofTeam of this.#longestAgoFirst(teams)) for (const lane of ofTeam) turns.add(lane.owner, lane);
    return turns;
  }

  served({ owner: { org, team } }: Lane): void {
    if (this.#servedAt.size > MOST_SERVED) this.#servedAt.clear();
    this.#served += 1;
    this.#servedAt.set(org, this.#served);
    this.#servedAt.set(team, this.#served);
  }

  #longestAgoFirst<T>(byId: Map<string, T>): T[] {
    const order = Array.from(byId, ([id, it]) => ({ it, at: this.#servedAt.get(id) ?? 0 }));
    return order.sort((a, b) => a.at - b.at).map(({ it }) => it);
  }
}
