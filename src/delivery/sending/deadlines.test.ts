import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines, type Stoppable } from './deadlines.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Attempt = Stoppable & { stoppedAt: number | null };

function begin(deadlines: Deadlines): Attempt {
  const attempt: Attempt = {
    startedAt: performance.now(),
    stoppedAt: null,
    stop: () => {
      attempt.stoppedAt = performance.now();
    },
  };
  deadlines.add(attempt);
  return attempt;
}

test('items are stopped in steps of four, none early and the last of 100 within half a second', () => {
  const deadlines = new Deadlines(2_000);
  const began = performance.now();
  const attempts = Array.from({ length: 100 }, () => begin(deadlines));
  vi.advanceTimersByTime(1_999);
  expect(attempts.filter(({ stoppedAt }) => stoppedAt !== null)).toEqual([]);
  vi.advanceTimersByTime(501);
  const after = attempts.map(({ stoppedAt }) => (stoppedAt ?? Infinity) - began);
  expect(Math.min(...after)).toBeGreaterThanOrEqual(2_000);
  expect(Math.max(...after)).toBeLessThanOrEqual(2_500);
  const most = Math.max(...after.map((ms) => after.filter((other) => other === ms).length));
  expect(most).toBe(4);
});

test('each item is stopped after its own time, and one that ended before is not stopped', () => {
  const deadlines = new Deadlines(2_000);
  const early = begin(deadlines);
  const ended = begin(deadlines);
  vi.advanceTimersByTime(1_500);
  const late = begin(deadlines);
  deadlines.delete(ended);
  vi.advanceTimersByTime(550);
  expect([early.stoppedAt !== null, ended.stoppedAt, late.stoppedAt]).toEqual([true, null, null]);
  vi.advanceTimersByTime(1_500);
  expect(late.stoppedAt).not.toBeNull();
  const later = begin(deadlines);
  vi.advanceTimersByTime(2_050);
  expect(later.stoppedAt).not.toBeNull();
});

test('cleared items are not stopped and keep no timer', () => {
  const deadlines = new Deadlines(2_000);
  const attempt = begin(deadlines);
  deadlines.clear();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(5_000);
  expect(attempt.stoppedAt).toBeNull();
});
