import { expect, test } from 'vitest';
import { newId } from './ids.ts';

const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

test('ids are UUIDs of version 7 with the time at which they were made', () => {
  const before = Date.now();
  const id = newId();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(timeOf(id)).toBeGreaterThanOrEqual(before);
  expect(timeOf(id)).toBeLessThanOrEqual(Date.now() + 1);
});

test('ids of one process only grow, also within a millisecond, and are unique', () => {
  const ids = Array.from({ length: 50_000 }, newId);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  // A pool that is not refilled would repeat its random part.
  expect(new Set(ids.map((id) => id.slice(24))).size).toBeGreaterThan(49_900);
});
