import { setImmediate as nextImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { countMajorCollections } from '../test/major-collections.ts';
import { TransientMap } from './transient-map.ts';

test('has every entry that was added and not removed, in insertion order, after any number of copies', () => {
  const map = new TransientMap<string, number>();
  const expected = new Map<string, number>();
  for (let n = 0; n < 1_000; n += 1) {
    const key = `key ${(n * 7919) % 211}`;
    if (n % 3 === 2) {
      map.delete(key);
      expected.delete(key);
    } else {
      map.set(key, n);
      expected.set(key, n);
    }
    if (n === 700) {
      map.clear();
      expected.clear();
    }
    expect([map.size, map.has(key), map.get(key)]).toEqual([expected.size, expected.has(key), expected.get(key)]);
  }
  expect([[...map], [...map.keys()], [...map.values()]]).toEqual([
    [...expected],
    [...expected.keys()],
    [...expected.values()],
  ]);
});

test('can lose an entry that is added during a loop', () => {
  const map = new TransientMap<number, true>();
  for (let n = 0; n < 100; n += 1) map.set(n, true);
  const seen: number[] = [];
  for (const key of map.keys()) {
    seen.push(key);
    map.delete(key);
  }
  expect([seen.length, map.size]).toEqual([100, 0]);
});

test('keeps nothing alive that was removed', async () => {
  const map = new TransientMap<number, string>();
  for (let n = 0; n < 20; n += 1) map.set(-n, '');
  const text = Buffer.alloc(4_096, 'x');
  // 1.6 GB in total, of which little is in the map at a time.
  const comeAndGo = async (): Promise<void> => {
    for (let n = 0; n < 400_000; n += 1) {
      map.set(n, text.toString('latin1'));
      map.delete(n - 40);
      if (n % 500 === 0) await nextImmediate();
    }
  };
  expect(await countMajorCollections(comeAndGo)).toBeLessThan(6);
});
