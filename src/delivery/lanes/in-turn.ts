import type { Lane } from './lane.ts';

/** The lanes of each team, in their order. */
export function lanesByTeam(lanes: Lane[]): Map<string, Lane[]> {
  const teams = new Map<string, Lane[]>();
  for (const lane of lanes) {
    const ofTeam = teams.get(lane.team_id);
    if (ofTeam) ofTeam.push(lane);
    else teams.set(lane.team_id, [lane]);
  }
  return teams;
}

/** One lane of each team in turn, however many lanes the others have. What is pushed to a team's meanwhile comes too. */
export function* inTurn(teams: Map<string, Lane[]>): Generator<Lane> {
  let turn = [...teams.values()];
  for (let at = 0; turn.length > 0; at += 1) {
    turn = turn.filter((lanes) => at < lanes.length);
    for (const lanes of turn) yield lanes[at] as Lane;
  }
}
