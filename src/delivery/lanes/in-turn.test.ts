import { expect, test } from 'vitest';
import { Turns } from './in-turn.ts';
import { Lane } from './lane.ts';

const lane = (team_id: string, webhook_id: string, org_id = team_id): Lane =>
  new Lane({ webhook_id, team_id, org_id, fence: 1 }, 16, 0);

test('the lane of a team with one comes second, however many lanes another team has before it', () => {
  const many = Array.from({ length: 100 }, (_, n) => lane('loud', `loud ${n}`));
  const order = [...new Turns().of([...many, lane('quiet', 'quiet')]).inTurn()].map(({ webhook_id }) => webhook_id);
  expect(order.slice(0, 3)).toEqual(['loud 0', 'quiet', 'loud 1']);
  expect(order).toHaveLength(101);
});

test('the lane of an organisation with one comes second, however many teams another organisation has', () => {
  const many = Array.from({ length: 100 }, (_, n) => lane(`loud ${n}`, `loud ${n}`, 'loud'));
  const order = [...new Turns().of([...many, lane('quiet', 'quiet')]).inTurn()].map(({ webhook_id }) => webhook_id);
  expect(order.slice(0, 3)).toEqual(['loud 0', 'quiet', 'loud 1']);
});

test('a lane that is pushed back to its team comes again after the team’s others', () => {
  const turns = new Turns().of([lane('a', 'a1'), lane('a', 'a2'), lane('b', 'b1')]);
  const order: string[] = [];
  for (const next of turns.inTurn()) {
    if (order.push(next.webhook_id) === 7) break;
    turns.add(next.owner, next);
  }
  expect(order).toEqual(['a1', 'b1', 'a2', 'b1', 'a1', 'b1', 'a2']);
});

test('who had no turn in a round is served in the next, however many lanes those before it have', () => {
  const turns = new Turns();
  const rows = Array.from({ length: 9 }, (_, team) => [lane(`t${team}`, 'a'), lane(`t${team}`, 'b')]).flat();
  const round = (lanes: Lane[]): string[] => {
    const served: string[] = [];
    for (const next of turns.of(lanes).inTurn()) {
      turns.served(next);
      if (served.push(next.team_id) === 4) break;
    }
    return served;
  };
  expect([round(rows), round(rows.toReversed())]).toEqual([
    ['t0', 't1', 't2', 't3'],
    ['t8', 't7', 't6', 't5'],
  ]);
  expect(round([...rows, lane('new', 'a')])).toEqual(['t4', 'new', 't0', 't1']);
});
