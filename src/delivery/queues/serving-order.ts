import { RoundRobin } from '../../fair/round-robin.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

/** The most organisations and teams whose last service we remember. */
const MAX_SERVED = 10_000;

/**
 * Remembers when each organisation and team was last served. A round may end before all were served, and the next round
 * must then begin with the others. Organisations and teams that were never served come first. The others follow,
 * longest ago first. The sequence of a team's queues does not matter.
 */
export class ServingOrder {
  readonly #servedAt = new Map<string, number>();
  #served = 0;

  /**
   * Returns the queues in the order in which to serve them. The caller calls `served` for each queue that it serves.
   */
  of(queues: Iterable<EndpointQueue>): RoundRobin<EndpointQueue> {
    const orgs = new Map<string, Map<string, EndpointQueue[]>>();
    for (const queue of queues) {
      const { org, team } = queue.owner;
      let teams = orgs.get(org);
      if (!teams) orgs.set(org, (teams = new Map()));
      const ofTeam = teams.get(team);
      if (ofTeam) ofTeam.push(queue);
      else teams.set(team, [queue]);
    }
    const roundRobin = new RoundRobin<EndpointQueue>();
    for (const teams of this.#leastRecentlyServedFirst(orgs))
      for (const ofTeam of this.#leastRecentlyServedFirst(teams))
        for (const queue of ofTeam) roundRobin.add(queue.owner, queue);
    return roundRobin;
  }

  served({ owner: { org, team } }: EndpointQueue): void {
    if (this.#servedAt.size > MAX_SERVED) this.#servedAt.clear();
    this.#served += 1;
    this.#servedAt.set(org, this.#served);
    this.#servedAt.set(team, this.#served);
  }

  #leastRecentlyServedFirst<T>(byId: Map<string, T>): T[] {
    const order = Array.from(byId, ([id, it]) => ({ it, at: this.#servedAt.get(id) ?? 0 }));
    return order.sort((a, b) => a.at - b.at).map(({ it }) => it);
  }
}
