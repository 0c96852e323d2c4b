import { expect, test } from 'vitest';
import { MOST_BYTES, openAllowance } from './allowance.ts';

const CONFIRM = 21;

test('a broker may say as much as its greeting, its confirms and its signs of life need, however long it lives', () => {
  let now = 0;
  const { published, spend } = openAllowance(() => now);
  expect(spend(4_096)).toBe(true);
  const beats = (): boolean => {
    now += 1_000;
    return spend(16);
  };
  for (let hour = 0; hour < 100; hour += 1) {
    published(10_000);
    expect(spend(10_000 * CONFIRM)).toBe(true);
    expect(Array.from({ length: 3_600 }, beats)).not.toContain(false);
  }
});

test('what a broker may say beside that is not saved up, whether by time or by messages', () => {
  let now = 0;
  const { published, spend } = openAllowance(() => now);
  for (let n = 0; n < 100; n += 1) published(200);
  now += 365 * 86_400_000;
  expect(spend(MOST_BYTES + 200 * 64)).toBe(true);
  expect(spend(1)).toBe(false);
});
