import { expect, test } from 'vitest';
import { writeAnswer } from './tool.ts';

test('an answer that is too long loses its last items, and says how many', () => {
  const items = Array.from({ length: 1_000 }, (_, n) => ({ n, text: 'x'.repeat(200) }));
  const text = writeAnswer({ total: 1_000, list: { name: 'orders', items } });
  expect(text.length).toBeLessThanOrEqual(80_000);
  const { total, left_out, orders } = JSON.parse(text) as { total: number; left_out: number; orders: object[] };
  expect([total, left_out + orders.length]).toEqual([1_000, 1_000]);
  expect(orders).toEqual(items.slice(0, orders.length));
  expect(orders.length).toBeGreaterThan(300);
});

test('an answer without facts, without items or without a list is JSON', () => {
  expect(writeAnswer({ list: { name: 'users', items: [] } })).toBe('{"users":[]}');
  expect(writeAnswer({ list: { name: 'users', items: [{ a: 1 }] } })).toBe('{"users":[{"a":1}]}');
  expect(writeAnswer({ total: 0, list: { name: 'users', items: [] } })).toBe('{"total":0,"users":[]}');
  expect(writeAnswer({ order_id: 'x', results: null })).toBe('{"order_id":"x","results":null}');
});
