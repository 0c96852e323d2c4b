import type { Lane } from './lane.ts';

/** Of so many teams it is kept in mind who had a turn before whom. */
const MOST_TEAMS = 10_000;

/** The lanes of each team, in their order. */
export function lanesByTeam(lanes: Iterable<Lane>): Map<string, Lane[]> {
  const teams = new Map<string, Lane[]>();
  for (const lane of lanes) {
    const ofTeam = teams.get(lane.team_id);
    if (ofTeam) ofTeam.push(lane);
    else teams.set(lane.team_id, [lane]);
  }
  return teams;
}

/** One lane of each team in turn, however many lanes the others have. What is pushed to a team's meanwhile comes too. */
export function* inTurn(teams: Iterable<Lane[]>): Generator<Lane> {
  let turn = [...teams];
  for (let at = 0; turn.length > 0; at += 1) {
    turn = turn.filter((lanes) => at < lanes.length);
    for (const lanes of turn) yield lanes[at] as Lane;
  }
}

/**
 * The turns of teams over rounds that end before each had one: those come first that were never served, then whose last
 * turn was the longest ago, wherever their lanes stand.
 */
export class Turns {
  readonly #servedAt = new Map<string, number>();
  #served = 0;

  /** As inTurn; whoever serves one says so. */
  inTurn(teams: Map<string, Lane[]>): Generator<Lane> {
    const order = Array.from(teams, ([team, lanes]) => ({ lanes, at: this.#servedAt.get(team) ?? 0 }));
    order.sort((a, b) => a.at - b.at);
    return inTurn(order.map(({ lanes }) => lanes));
  }

  served(team: string): void {
    if (this.#servedAt.size > MOST_TEAMS) this.#servedAt.clear();
    this.#served += 1;
    this.#servedAt.set(team, this.#served);
  }
}
