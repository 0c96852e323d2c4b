import { expect, test } from 'vitest';
import { Shares } from './shares.ts';

const PLACES = 512;

function takeAll(shares: Shares, team: string): number {
  let taken = 0;
  while (shares.take(team)) taken += 1;
  return taken;
}

/** Each takes one in turn as long as anybody may. */
function takeInTurn(shares: Shares, teams: string[]): Map<string, number> {
  const held = new Map(teams.map((team) => [team, 0]));
  for (let took = true; took;) {
    took = false;
    for (const team of teams) {
      if (!shares.take(team)) continue;
      held.set(team, (held.get(team) ?? 0) + 1);
      took = true;
    }
  }
  return held;
}

test('a team alone holds a quarter of the places', () => {
  expect(takeAll(new Shares(PLACES), 'loud')).toBe(PLACES / 4);
});

test.each([2, 3, 10, 100])('%i teams hold the same, and a part stays free for whoever comes next', (count) => {
  const teams = Array.from({ length: count }, (_, n) => `team ${n}`);
  const shares = new Shares(PLACES);
  const held = [...takeInTurn(shares, teams).values()];
  expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
  expect(Math.max(...held)).toBeLessThanOrEqual(PLACES / 4);
  expect(shares.taken).toBeLessThan(PLACES);
  expect(shares.take('newcomer')).toBe(true);
});

test('a team that holds more than its share as others come gives places back before it takes one', () => {
  const shares = new Shares(PLACES);
  const held = takeAll(shares, 'loud');
  const others = takeAll(shares, 'quiet');
  expect(others).toBeLessThan(held);
  shares.giveBack('loud');
  expect(shares.take('loud')).toBe(false);
  let given = 1;
  while (!shares.take('loud')) {
    shares.giveBack('loud');
    given += 1;
  }
  expect(given).toBeGreaterThan(1);
  expect(shares.taken).toBe(held - given + 1 + others);
});

test('room is what a team may take from now on', () => {
  const shares = new Shares(PLACES);
  takeAll(shares, 'quiet');
  const room = shares.roomFor('loud');
  expect(takeAll(shares, 'loud')).toBe(room);
  expect(shares.roomFor('loud')).toBe(0);
});

test('nobody takes a place where none is free', () => {
  const shares = new Shares(2);
  expect(shares.take('one')).toBe(true);
  expect(shares.take('two')).toBe(true);
  expect(shares.take('three')).toBe(false);
  shares.giveBack('one');
  expect(shares.take('three')).toBe(true);
});
