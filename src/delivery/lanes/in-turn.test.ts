import { expect, test } from 'vitest';
import { inTurn, lanesByTeam, Turns } from './in-turn.ts';
import { Lane } from './lane.ts';

const lane = (team_id: string, webhook_id: string): Lane => new Lane({ webhook_id, team_id, fence: 1 }, 16, 0);

test('the lane of a team with one comes second, however many lanes another team has before it', () => {
  const many = Array.from({ length: 100 }, (_, n) => lane('loud', `loud ${n}`));
  const order = [...inTurn(lanesByTeam([...many, lane('quiet', 'quiet')]).values())].map(
    ({ webhook_id }) => webhook_id,
  );
  expect(order.slice(0, 3)).toEqual(['loud 0', 'quiet', 'loud 1']);
  expect(order).toHaveLength(101);
});

test('a lane that is pushed back to its team comes again after the team’s others', () => {
  const teams = lanesByTeam([lane('a', 'a1'), lane('a', 'a2'), lane('b', 'b1')]);
  const order: string[] = [];
  for (const next of inTurn(teams.values())) {
    if (order.push(next.webhook_id) === 7) break;
    teams.get(next.team_id)?.push(next);
  }
  expect(order).toEqual(['a1', 'b1', 'a2', 'b1', 'a1', 'b1', 'a2']);
});

test('a team whose turn did not come in a round is served in the next, however many lanes those before it have', () => {
  const turns = new Turns();
  const rows = Array.from({ length: 9 }, (_, team) => [lane(`t${team}`, 'a'), lane(`t${team}`, 'b')]).flat();
  const round = (lanes: Lane[]): string[] => {
    const served: string[] = [];
    for (const { team_id } of turns.inTurn(lanesByTeam(lanes))) {
      turns.served(team_id);
      if (served.push(team_id) === 4) break;
    }
    return served;
  };
  expect([round(rows), round(rows.toReversed())]).toEqual([
    ['t0', 't1', 't2', 't3'],
    ['t8', 't7', 't6', 't5'],
  ]);
  expect(round([...rows, lane('new', 'a')])).toEqual(['t4', 'new', 't0', 't1']);
});
