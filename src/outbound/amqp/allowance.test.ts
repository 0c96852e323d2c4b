import { expect, test } from 'vitest';
import { MAX_BYTES, openAllowance } from './allowance.ts';

const CONFIRM = 21;

test('the allowance covers the greeting, the confirms and the heartbeats of a broker for any length of time', () => {
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

test('a broker cannot save up more than the allowance, neither by time nor by messages', () => {
  let now = 0;
  const { published, spend } = openAllowance(() => now);
  for (let n = 0; n < 100; n += 1) published(200);
  now += 365 * 86_400_000;
  expect(spend(MAX_BYTES + 200 * 64)).toBe(true);
  expect(spend(1)).toBe(false);
});
