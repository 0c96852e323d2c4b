import { expect, test } from 'vitest';
import { inTurn, lanesByTeam } from './in-turn.ts';
import { Lane } from './lane.ts';

const lane = (team_id: string, webhook_id: string): Lane => new Lane({ webhook_id, team_id, fence: 1 }, 16, 0);

test('the lane of a team with one comes second, however many lanes another team has before it', () => {
  const many = Array.from({ length: 100 }, (_, n) => lane('loud', `loud ${n}`));
  const order = [...inTurn(lanesByTeam([...many, lane('quiet', 'quiet')]))].map(({ webhook_id }) => webhook_id);
  expect(order.slice(0, 3)).toEqual(['loud 0', 'quiet', 'loud 1']);
  expect(order).toHaveLength(101);
});

test('a lane that is pushed back to its team comes again after the team’s others', () => {
  const teams = lanesByTeam([lane('a', 'a1'), lane('a', 'a2'), lane('b', 'b1')]);
  const order: string[] = [];
  for (const next of inTurn(teams)) {
    if (order.push(next.webhook_id) === 7) break;
    teams.get(next.team_id)?.push(next);
  }
  expect(order).toEqual(['a1', 'b1', 'a2', 'b1', 'a1', 'b1', 'a2']);
});
