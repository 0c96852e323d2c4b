// The state of a replay in its worker, without a database.
import { expect, test } from 'vitest';
import { maxPerSecond } from '../../../test/most-per-second.ts';
import { outcomeOf } from '../../../test/send-outcome.ts';
import { minIdAt } from '../../ids.ts';
import type { Replay } from './replay-progress.ts';
import type { FoundEvent } from './read-events.ts';
import { ReplayWindow } from './replay-window.ts';

const NONE_DONE = minIdAt(0);
const outcome = (ok: boolean, retry_after_seconds: number | null = null) =>
  outcomeOf(ok ? 204 : 500, { retry_after_seconds });

function openWindow(per_second = 400): ReplayWindow {
  const replay = {
    per_second,
    done_to: NONE_DONE,
    events_found: 0,
    events_delivered: 0,
    events_failed: 0,
    events_skipped: 0,
  };
  const window = new ReplayWindow(replay as Replay, 4);
  window.isStable = true;
  // The first call starts the rate limit, so we make it a second before the test begins.
  window.next(-1_000, null);
  return window;
}

const id = (n: number): string => minIdAt(n);
const found = (n: number, known: FoundEvent['known'] = null): FoundEvent => ({ event_id: id(n), attempt: 1, known });
const add = (window: ReplayWindow, numbers: number[], now = 0, isLast = true): void =>
  window.add({ events: numbers.map((n) => found(n)), readTo: id(numbers.at(-1) as number), isLast }, now);

test('saved progress ends before everything that is under way, in whatever order deliveries end', () => {
  const window = openWindow();
  add(window, [1, 2, 3]);
  const first = window.next(0, null);
  window.end(first as never, outcome(true), 1);
  const [second, third] = [window.next(10, null), window.next(10, null)];
  window.end(third as never, outcome(false), 11);
  expect(window.replay).toMatchObject({ done_to: id(1), events_found: 1, events_delivered: 1 });
  expect(window.hasEnded).toBe(false);
  window.end(second as never, outcome(true), 12);
  expect(window.replay).toMatchObject({ done_to: id(3), events_found: 3, events_delivered: 2, events_failed: 1 });
  expect(window.hasEnded).toBe(true);
});

test('an event with a known result is counted and not started', () => {
  const window = openWindow();
  window.add({ events: [found(1, 'delivered'), found(2, 'skipped'), found(3)], readTo: id(9), isLast: true }, 0);
  expect(window.replay).toMatchObject({ done_to: id(2), events_delivered: 1, events_skipped: 1 });
  expect(window.next(0, null)?.event_id).toBe(id(3));
  expect(window.next(100, null)).toBeNull();
});

test('a delivery that could not be made starts again, and progress does not pass it', () => {
  const window = openWindow();
  add(window, [1]);
  window.end(window.next(0, null) as never, 'again', 1);
  expect(window.replay.done_to).toBe(NONE_DONE);
  expect(window.next(2, null)).toBeNull();
  expect(window.next(1_100, null)?.event_id).toBe(id(1));
});

test('each success allows one more at a time, and a failure one, after rests that double up to a minute', () => {
  const window = openWindow();
  add(
    window,
    Array.from({ length: 40 }, (_, n) => n + 1),
  );
  const begin = (now: number) => {
    const begun = [];
    for (let one = window.next(now, null); one; one = window.next(now, null)) begun.push(one);
    return begun;
  };
  const sizes: number[] = [];
  for (let now = 0; now < 100; now += 20) {
    const begun = begin(now);
    sizes.push(begun.length);
    for (const one of begun) window.end(one, outcome(true), now + 1);
  }
  expect(sizes).toEqual([1, 2, 4, 4, 4]);
  for (const one of begin(100)) window.end(one, outcome(false), 100);
  expect([window.isReady(1_099), window.isReady(1_100)]).toEqual([false, true]);
  let now = 1_100;
  const rests: number[] = [];
  for (let n = 0; n < 8; n += 1) {
    // The window drops events that it read more than five seconds ago and reads them again. So we add them here.
    add(window, [50 + n, 60 + n], now, false);
    const begun = begin(now);
    expect(begun).toHaveLength(1);
    window.end(begun[0] as never, outcome(false, n === 7 ? 3_600 : null), now);
    rests.push(window.startsAt - now);
    now = window.startsAt;
  }
  expect(rests).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test.each([
  [40, null, 40],
  [400, 20, 20],
])(
  'at %i a second, with %j a second left by the endpoint, no second has more, also after a pause',
  (own, ofEndpoint, most) => {
    const window = openWindow(own);
    const numbers = (now: number) => Array.from({ length: 60 }, (_, n) => 1_000 * (now + 1) + n);
    const times: number[] = [];
    for (let now = 0; now < 5_000; now += 1) {
      if (now % 100 === 0) add(window, numbers(now), now, false);
      // Nothing starts in the third second. The window must not use the unused rate of that second later.
      if (now >= 2_000 && now < 3_000) continue;
      for (let one = window.next(now, ofEndpoint); one; one = window.next(now, ofEndpoint)) {
        window.end(one, outcome(true), now);
        times.push(now);
      }
    }
    expect(maxPerSecond(times)).toBeLessThanOrEqual(most);
    expect(times.length).toBeGreaterThanOrEqual(0.9 * most * 4 - 1);
  },
);

test('a window has a limited number of events', () => {
  const window = openWindow();
  expect(window.wanted(100)).toEqual({ after: NONE_DONE, most: 256 });
  add(
    window,
    Array.from({ length: 256 }, (_, n) => n + 1),
    100,
    false,
  );
  expect(window.wanted(1_000)).toBeNull();
  const slow = openWindow(1);
  expect(slow.wanted(100)?.most).toBe(16);
});

test('events that were read seconds ago are read again before they start', () => {
  const window = openWindow();
  add(window, [1, 2], 0);
  window.end(window.next(0, null) as never, outcome(true), 1);
  expect(window.next(6_000, null)).toBeNull();
  expect(window.wanted(6_000)?.after).toBe(id(1));
  expect(window.hasEnded).toBe(false);
});
