import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { combineCalls } from './combine-calls.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Calls `wake` after four calls, or 10 ms after the first call. */
function gathering(): { wake: ReturnType<typeof vi.fn>; come: (times: number) => void } {
  const wake = vi.fn<() => void>();
  const one = combineCalls(wake, { most: 4, ms: 10 });
  return { wake, come: (times) => Array.from({ length: times }).forEach(one) };
}

test('many calls wake once and at once, and leave no timer', () => {
  const { wake, come } = gathering();
  come(3);
  expect(wake).toHaveBeenCalledTimes(0);
  come(1);
  expect(wake).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(wake).toHaveBeenCalledTimes(1);
});

test('a few calls wake once, some time after the first, and later calls start again', () => {
  const { wake, come } = gathering();
  come(1);
  vi.advanceTimersByTime(9);
  come(2);
  expect(wake).toHaveBeenCalledTimes(0);
  vi.advanceTimersByTime(1);
  expect(wake).toHaveBeenCalledTimes(1);
  come(3);
  vi.advanceTimersByTime(9);
  expect(wake).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(wake).toHaveBeenCalledTimes(2);
});
