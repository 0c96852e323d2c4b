import { describe, expect, test } from 'vitest';
import type { Owner } from './round-robin.ts';
import { Threshold } from './threshold.ts';

const PERMITS = 512;

const own = (org: string, team = org): Owner => ({ org, team });

function takeAll(permits: Threshold, owner: Owner): number {
  let taken = 0;
  while (permits.take(owner)) taken += 1;
  return taken;
}

/** Owners take one each in round robin while any of them can. Returns what each has. */
function takeInRounds(permits: Threshold, owners: Owner[]): number[] {
  const taken = owners.map(() => 0);
  for (let took = true; took;) {
    took = false;
    for (const [n, owner] of owners.entries()) {
      if (!permits.take(owner)) continue;
      taken[n] = (taken[n] ?? 0) + 1;
      took = true;
    }
  }
  return taken;
}

describe('by a threshold', () => {
  test('a team alone gets a quarter, and the teams of an organisation alone get a third together', () => {
    expect(takeAll(new Threshold(PERMITS), own('loud'))).toBe(PERMITS / 4);
    const permits = new Threshold(PERMITS);
    const teams = Array.from({ length: 100 }, (_, n) => own('loud', `team ${n}`));
    takeInRounds(permits, teams);
    expect(permits.taken).toBe(Math.ceil(PERMITS / 3));
    expect(permits.take(own('newcomer'))).toBe(true);
  });

  test.each([2, 3, 10, 100])('%i organisations get the same amount, and a part stays free for another', (count) => {
    const permits = new Threshold(PERMITS);
    const owners = Array.from({ length: count }, (_, n) => own(`org ${n}`));
    const taken = takeInRounds(permits, owners);
    expect(Math.max(...taken) - Math.min(...taken)).toBeLessThanOrEqual(1);
    expect(Math.max(...taken)).toBeLessThanOrEqual(PERMITS / 4);
    expect(permits.taken).toBeLessThan(PERMITS);
    expect(permits.take(own('newcomer'))).toBe(true);
  });

  test('two teams of an organisation get the same amount, and leave a part for a third team', () => {
    const permits = new Threshold(PERMITS);
    const [one = 0, two = 0] = takeInRounds(permits, [own('org', 'one'), own('org', 'two')]);
    expect(Math.abs(one - two)).toBeLessThanOrEqual(1);
    expect(permits.take(own('org', 'three'))).toBe(true);
  });

  test('an owner above its share must release before it can take again', () => {
    const permits = new Threshold(PERMITS);
    const taken = takeAll(permits, own('loud'));
    const others = takeAll(permits, own('quiet'));
    expect(others).toBeLessThan(taken);
    permits.release(own('loud'));
    expect(permits.take(own('loud'))).toBe(false);
    let given = 1;
    while (!permits.take(own('loud'))) {
      permits.release(own('loud'));
      given += 1;
    }
    expect(given).toBeGreaterThan(1);
    expect(permits.taken).toBe(taken - given + 1 + others);
  });

  test('capacityFor is the amount that an owner can take from now on', () => {
    const permits = new Threshold(PERMITS);
    takeAll(permits, own('quiet'));
    const capacity = permits.capacityFor(own('loud'));
    expect(takeAll(permits, own('loud'))).toBe(capacity);
    expect(permits.capacityFor(own('loud'))).toBe(0);
  });

  test('no owner can take when nothing is free', () => {
    const permits = new Threshold(2);
    expect(permits.take(own('one'))).toBe(true);
    expect(permits.take(own('two'))).toBe(true);
    expect(permits.take(own('three'))).toBe(false);
    permits.release(own('one'));
    expect(permits.take(own('three'))).toBe(true);
  });

  test('an organisation that has nothing can take everything that is free, and another one the rest', () => {
    const bytes = new Threshold(1_000);
    expect(bytes.take(own('one'), 900)).toBe(true);
    expect(bytes.take(own('one'), 1)).toBe(false);
    expect([bytes.take(own('two'), 101), bytes.take(own('two'), 100)]).toEqual([false, true]);
    bytes.release(own('one'), 900);
    expect(bytes.taken).toBe(100);
  });
});
