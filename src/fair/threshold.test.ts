import { describe, expect, test } from 'vitest';
import type { Owner } from './round-robin.ts';
import { Threshold } from './threshold.ts';

const PLACES = 512;

const own = (org: string, team = org): Owner => ({ org, team });

function takeAll(places: Threshold, owner: Owner): number {
  let taken = 0;
  while (places.take(owner)) taken += 1;
  return taken;
}

/** Each takes one in turn as long as anybody may; answers what each holds. */
function takeInTurn(places: Threshold, owners: Owner[]): number[] {
  const held = owners.map(() => 0);
  for (let took = true; took;) {
    took = false;
    for (const [n, owner] of owners.entries()) {
      if (!places.take(owner)) continue;
      held[n] = (held[n] ?? 0) + 1;
      took = true;
    }
  }
  return held;
}

describe('by a threshold', () => {
  test('a team alone holds a quarter of the places, and the teams of an organisation alone a third together', () => {
    expect(takeAll(new Threshold(PLACES), own('loud'))).toBe(PLACES / 4);
    const places = new Threshold(PLACES);
    const teams = Array.from({ length: 100 }, (_, n) => own('loud', `team ${n}`));
    takeInTurn(places, teams);
    expect(places.taken).toBe(Math.ceil(PLACES / 3));
    expect(places.take(own('newcomer'))).toBe(true);
  });

  test.each([2, 3, 10, 100])(
    '%i organisations hold the same, and a part stays free for whoever comes next',
    (count) => {
      const places = new Threshold(PLACES);
      const owners = Array.from({ length: count }, (_, n) => own(`org ${n}`));
      const held = takeInTurn(places, owners);
      expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
      expect(Math.max(...held)).toBeLessThanOrEqual(PLACES / 4);
      expect(places.taken).toBeLessThan(PLACES);
      expect(places.take(own('newcomer'))).toBe(true);
    },
  );

  test('two teams of an organisation hold the same, and leave something of its part for a third', () => {
    const places = new Threshold(PLACES);
    const [one = 0, two = 0] = takeInTurn(places, [own('org', 'one'), own('org', 'two')]);
    expect(Math.abs(one - two)).toBeLessThanOrEqual(1);
    expect(places.take(own('org', 'three'))).toBe(true);
  });

  test('an owner that holds more than its share as others come gives places back before it takes one', () => {
    const places = new Threshold(PLACES);
    const held = takeAll(places, own('loud'));
    const others = takeAll(places, own('quiet'));
    expect(others).toBeLessThan(held);
    places.giveBack(own('loud'));
    expect(places.take(own('loud'))).toBe(false);
    let given = 1;
    while (!places.take(own('loud'))) {
      places.giveBack(own('loud'));
      given += 1;
    }
    expect(given).toBeGreaterThan(1);
    expect(places.taken).toBe(held - given + 1 + others);
  });

  test('room is what an owner may take from now on', () => {
    const places = new Threshold(PLACES);
    takeAll(places, own('quiet'));
    const room = places.roomFor(own('loud'));
    expect(takeAll(places, own('loud'))).toBe(room);
    expect(places.roomFor(own('loud'))).toBe(0);
  });

  test('nobody takes a place where none is free', () => {
    const places = new Threshold(2);
    expect(places.take(own('one'))).toBe(true);
    expect(places.take(own('two'))).toBe(true);
    expect(places.take(own('three'))).toBe(false);
    places.giveBack(own('one'));
    expect(places.take(own('three'))).toBe(true);
  });

  test('an organisation that holds nothing may take an amount of all that is free, and another one what is left', () => {
    const bytes = new Threshold(1_000);
    expect(bytes.take(own('one'), 900)).toBe(true);
    expect(bytes.take(own('one'), 1)).toBe(false);
    expect([bytes.take(own('two'), 101), bytes.take(own('two'), 100)]).toEqual([false, true]);
    bytes.giveBack(own('one'), 900);
    expect(bytes.taken).toBe(100);
  });
});
