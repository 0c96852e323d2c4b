// The state of an endpoint queue in its owner, without a database.
import { describe, expect, test } from 'vitest';
import { newId } from '../../ids.ts';
import { BEGINNING } from './discover.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import type { Queued } from './read-queue.ts';

const makeQueue = (slots: number): EndpointQueue =>
  new EndpointQueue({ webhook_id: newId(), team_id: newId(), org_id: newId(), fence: 1 }, slots, 0);
/** An endpoint queue that has all its slots, because its endpoint has answered often enough. */
function openQueue(slots = 16): EndpointQueue {
  const queue = makeQueue(slots);
  for (let n = 0; n < slots; n += 1) {
    const row = first();
    queue.beginReplayed(row.event_id, -1, null);
    queue.end(row, ANSWERED, -1);
  }
  return queue;
}
const first = (event_id = newId()): Queued => ({
  webhook_id: '',
  event_id,
  attempt: 1,
  from: 'deliveries',
  schedule_from: 0,
  trigger: null,
  asked: null,
});
const begin = (queue: EndpointQueue, now = 0): Queued | null => queue.next(now, null);
const ANSWERED = { ok: true, status: 204, error: null, duration_ms: 5, retry_after_seconds: null };
const TIMED_OUT = { ...ANSWERED, ok: false, status: null, error: 'timeout' as const, duration_ms: 2_000 };
const answered = (status: number, retry_after_seconds: number | null = null) => ({
  ...ANSWERED,
  ok: false,
  status,
  retry_after_seconds,
});

/** Starts a read. `answer` ends it with rows. */
function read(queue: EndpointQueue): { after: string; most: number; answer: (rows: Queued[]) => void } {
  const wanted = queue.firstAttemptsWanted();
  if (!wanted) throw new Error('The queue wants no rows.');
  return { ...wanted, answer: (rows) => queue.addFirsts(rows, wanted.most) };
}

test('a row that is recorded during a read is not sent again', () => {
  const queue = openQueue();
  const row = first();
  read(queue).answer([row]);
  expect(begin(queue)).toEqual(row);
  queue.look();
  const reading = read(queue);
  queue.end(row, ANSWERED, 0);
  reading.answer([row]);
  expect(begin(queue)).toBeNull();
});

test('a row that is recorded during two reads is not sent again by the later one', () => {
  const queue = openQueue();
  const row = first();
  read(queue).answer([row]);
  begin(queue);
  queue.look();
  const reading = read(queue);
  const retries = queue.retriesWanted(0);
  queue.end(row, TIMED_OUT, 0);
  queue.addRetries([], retries?.most ?? 0, 0);
  reading.answer([row]);
  expect(begin(queue)).toBeNull();
});

describe('the deliveries that a notification names', () => {
  const notified = (event_id: string): Queued => ({ ...first(event_id), from: 'notified' });
  /** A queue that was read to its end. */
  function makeEmptyQueue(): EndpointQueue {
    const queue = openQueue();
    read(queue).answer([]);
    return queue;
  }
  const begunIn = (queue: EndpointQueue): Queued => ({ ...(begin(queue) as Queued), webhook_id: '' });

  test('start once, without a read', () => {
    const queue = makeEmptyQueue();
    const [one, two] = [newId(), newId()];
    queue.addNotified([one, two]);
    queue.addNotified([two]);
    expect(queue.firstAttemptsWanted()).toBeNull();
    expect([begunIn(queue), begunIn(queue), begin(queue)]).toEqual([notified(one), notified(two), null]);
    queue.addNotified([one]);
    expect(begin(queue)).toBeNull();
  });

  test('are left to the next read when one is due, or when they are many', () => {
    const behind = makeEmptyQueue();
    behind.look();
    behind.addNotified([newId()]);
    expect(begin(behind)).toBeNull();
    expect(behind.firstAttemptsWanted()).not.toBeNull();
    const full = makeEmptyQueue();
    full.addNotified(Array.from({ length: 16 }, newId));
    expect(full.firstAttemptsWanted()).toBeNull();
    full.addNotified([newId()]);
    for (let n = 0; n < 8; n += 1) expect(begin(full)).not.toBeNull();
    expect(full.firstAttemptsWanted()).not.toBeNull();
  });
});

test('the queue is read again when half of the slots would use up the rows in memory', () => {
  const queue = openQueue();
  const reading = read(queue);
  reading.answer(Array.from({ length: reading.most }, () => first()));
  expect(reading.most).toBe(32);
  for (let n = 0; n < 24; n += 1) {
    expect(queue.firstAttemptsWanted()).toBeNull();
    const row = begin(queue) as Queued;
    if (n < 8) queue.end(row, ANSWERED, 0);
  }
  expect(queue.firstAttemptsWanted()).toMatchObject({ webhook_id: queue.webhook_id });
});

test('retries are read although first attempts use every slot', () => {
  const queue = openQueue();
  read(queue).answer(Array.from({ length: 20 }, () => first()));
  while (begin(queue));
  expect(queue.retriesWanted(0)).not.toBeNull();
});

test('a row that was given up is read and started again', () => {
  const queue = openQueue();
  const row = first();
  read(queue).answer([row]);
  begin(queue);
  queue.end(row, null, 0);
  queue.lookFromBeginning();
  read(queue).answer([row]);
  expect(begin(queue)).toEqual(row);
});

test('a read from the beginning that is requested during a read follows it', () => {
  const queue = openQueue();
  const row = first();
  read(queue).answer([row]);
  begin(queue);
  queue.look();
  const reading = read(queue);
  queue.lookFromBeginning();
  queue.end(row, null, 0);
  reading.answer([row]);
  const next = read(queue);
  expect(next.after).toBe(BEGINNING);
  next.answer([row]);
  expect(begin(queue)).toEqual(row);
});

test('an event that commits late, before the last row read, is found although its notification came earlier', () => {
  const queue = openQueue(1);
  const late = first();
  const full = read(queue);
  const rows = Array.from({ length: full.most }, () => first());
  full.answer(rows);
  for (const row of rows) {
    expect(begin(queue)).toEqual(row);
    queue.end(row, ANSWERED, 0);
  }
  queue.look();
  const behind = read(queue);
  expect(behind.after > late.event_id).toBe(true);
  behind.answer([]);
  const again = read(queue);
  expect(again.after < late.event_id).toBe(true);
  again.answer([late]);
  expect(begin(queue)).toEqual(late);
  queue.end(late, ANSWERED, 0);
  expect(queue.firstAttemptsWanted()).toBeNull();
});

test('an endpoint that hangs gets one slot and rests half to one and a half times its time-out', () => {
  const rests = Array.from({ length: 50 }, () => {
    const queue = openQueue(4);
    read(queue).answer(Array.from({ length: 8 }, () => first()));
    for (const slots of [4, 2, 1]) {
      const [row, ...others] = Array.from({ length: slots }, () => begin(queue)) as Queued[];
      expect([row, begin(queue)]).toEqual([expect.anything(), null]);
      for (const other of others) queue.end(other, null, 0);
      queue.end(row as Queued, TIMED_OUT, 0);
    }
    expect(begin(queue, queue.startsAt - 1)).toBeNull();
    expect(begin(queue, queue.startsAt)).not.toBeNull();
    return queue.startsAt;
  });
  expect(Math.min(...rests)).toBeGreaterThanOrEqual(1_000);
  expect(Math.max(...rests)).toBeLessThanOrEqual(3_050);
  expect(new Set(rests).size).toBeGreaterThan(10);
});

test('an endpoint that timed out once and has slots left does not rest', () => {
  const queue = openQueue(4);
  const row = first();
  read(queue).answer([row, first()]);
  begin(queue);
  queue.end(row, TIMED_OUT, 0);
  expect(begin(queue)).not.toBeNull();
});

test('an endpoint whose slots all time out at once draws one random rest, not the longest of many', () => {
  const rests = Array.from({ length: 400 }, () => {
    const queue = openQueue(16);
    read(queue).answer(Array.from({ length: 16 }, () => first()));
    const begun = Array.from({ length: 16 }, () => begin(queue)) as Queued[];
    for (const row of begun) queue.end(row, TIMED_OUT, 0);
    return queue.startsAt;
  });
  const mean = rests.reduce((sum, rest) => sum + rest, 0) / rests.length;
  // One pause is between 1,000 and 3,000 ms, so the mean is about 2,000 ms. If the queue took the longest of sixteen
  // random pauses, the mean would be about 2,900 ms.
  expect(mean).toBeGreaterThan(1_850);
  expect(mean).toBeLessThan(2_200);
});

test('a new endpoint gets four deliveries at once, and one more for each that it accepts', () => {
  const queue = makeQueue(16);
  read(queue).answer(Array.from({ length: 16 }, () => first()));
  const begun = Array.from({ length: 5 }, () => begin(queue));
  expect(begun.map((row) => row !== null)).toEqual([true, true, true, true, false]);
  queue.end(begun[0] as Queued, ANSWERED, 0);
  expect([begin(queue), begin(queue), begin(queue)].map((row) => row !== null)).toEqual([true, true, false]);
});

describe('an endpoint that has answered nothing for a second', () => {
  /** Makes a queue with `begun` deliveries that started at the time 0, and further deliveries that wait. */
  function makeWaitingQueue(begun: number): { queue: EndpointQueue; rows: Queued[] } {
    const queue = openQueue();
    read(queue).answer(Array.from({ length: 16 }, () => first()));
    return { queue, rows: Array.from({ length: begun }, () => begin(queue) as Queued) };
  }

  test('gets no third delivery, long before the first time-out', () => {
    const { queue } = makeWaitingQueue(2);
    expect(queue.isReady(1_001)).toBe(false);
    expect(begin(queue, 1_001)).toBeNull();
    const { queue: other } = makeWaitingQueue(1);
    expect(begin(other, 5_000)).not.toBeNull();
    expect(begin(other, 5_000)).toBeNull();
  });

  test.each([204, 500])('has all its slots again as soon as it answers, with %i for example', (status) => {
    const { queue, rows } = makeWaitingQueue(4);
    expect(begin(queue, 2_000)).toBeNull();
    queue.end(rows[1] as Queued, { ...answered(status), ok: status < 300 }, 2_000);
    expect(queue.isReady(2_000)).toBe(true);
    for (let n = 0; n < 8; n += 1) expect(begin(queue, 2_000)).not.toBeNull();
  });

  test('gets no slots back after a time-out', () => {
    const { queue, rows } = makeWaitingQueue(4);
    queue.end(rows[0] as Queued, TIMED_OUT, 2_000);
    expect(begin(queue, 2_000)).toBeNull();
  });

  test('does not count as silent when it takes five seconds for each answer and answers meanwhile', () => {
    const { queue, rows } = makeWaitingQueue(4);
    queue.end(rows[0] as Queued, ANSWERED, 900);
    expect(begin(queue, 5_000)).not.toBeNull();
  });
});

test('a change of the endpoint ends its rest', () => {
  const queue = openQueue(1);
  const row = first();
  read(queue).answer([row, first()]);
  begin(queue);
  queue.end(row, TIMED_OUT, 0);
  expect(begin(queue)).toBeNull();
  queue.resume();
  expect(begin(queue)).not.toBeNull();
});

describe('an endpoint that asks for less', () => {
  /** A queue with more deliveries than slots, and one delivery under way. */
  function makeBusyQueue(slots: number): { queue: EndpointQueue; row: Queued } {
    const queue = openQueue(slots);
    const { answer, most } = read(queue);
    answer(Array.from({ length: most }, () => first()));
    return { queue, row: begin(queue) as Queued };
  }

  test.each([
    [429, 40, 40_000],
    [503, 40, 40_000],
    [502, 7, 7_000],
    [504, 299, 299_000],
    [429, 999_999, 300_000],
  ])('gets nothing after %i with Retry-After %i for %i ms', (status, seconds, ms) => {
    const { queue, row } = makeBusyQueue(16);
    queue.end(row, answered(status, seconds), 1_000);
    expect(begin(queue, 1_000 + ms - 1)).toBeNull();
    expect(begin(queue, 1_000 + ms)).not.toBeNull();
  });

  test.each([429, 502, 504])('by %i alone is left with one slot, and then each rest is twice as long', (status) => {
    const { queue, row } = makeBusyQueue(16);
    const begun = [row, ...Array.from({ length: 15 }, () => begin(queue) as Queued)];
    for (const one of begun) queue.end(one, answered(status), 0);
    const rests: number[] = [];
    for (let now = 0, n = 0; n < 9; n += 1) {
      rests.push(queue.startsAt - now);
      now = queue.startsAt;
      const one = begin(queue, now) as Queued;
      expect(begin(queue, now)).toBeNull();
      queue.end(one, answered(status), now);
    }
    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test('rests for the first time again after it has accepted a delivery', () => {
    const { queue, row } = makeBusyQueue(1);
    queue.end(row, answered(429), 0);
    queue.end(begin(queue, 1_000) as Queued, answered(429), 1_000);
    expect(queue.startsAt).toBe(3_000);
    queue.end(begin(queue, 3_000) as Queued, ANSWERED, 3_000);
    queue.end(begin(queue, 3_000) as Queued, answered(429), 3_000);
    expect(queue.startsAt).toBe(4_000);
  });

  test.each([500, 503, 404, 401])('is not recognised by %i', (status) => {
    const { queue, row } = makeBusyQueue(1);
    queue.end(row, answered(status), 0);
    expect(begin(queue, 0)).not.toBeNull();
  });

  test('once gets its slots back while it accepts deliveries', () => {
    const { queue, row } = makeBusyQueue(16);
    queue.end(row, answered(502), 0);
    for (let n = 0; n < 8; n += 1) queue.end(begin(queue) as Queued, ANSWERED, 0);
    expect(Array.from({ length: 16 }, () => begin(queue))).not.toContain(null);
  });

  test('gets a delivery at once when it was changed', () => {
    const { queue, row } = makeBusyQueue(16);
    queue.end(row, answered(429, 200), 0);
    queue.resume();
    expect(begin(queue, 0)).not.toBeNull();
  });
});

test('a replay uses half of the slots, and none while a delivery waits or before the rate allows it', () => {
  const queue = openQueue(8);
  expect(queue.hasSlotForReplay(0, null)).toBe(false);
  read(queue).answer([first()]);
  expect(queue.hasSlotForReplay(0, null)).toBe(false);
  begin(queue);
  let replayed = 0;
  for (; queue.hasSlotForReplay(0, null); replayed += 1) queue.beginReplayed(newId(), 0, null);
  expect(replayed).toBe(3);
  expect(openQueue().hasSlotForReplay(0, 1)).toBe(false);
});

test('a replay skips events that the queue has, and the queue skips those that a replay has', () => {
  const queue = openQueue();
  const row = first();
  read(queue).answer([row]);
  expect(queue.beginReplayed(row.event_id, 0, null)).toBe(false);
  const replayed = first();
  expect(queue.beginReplayed(replayed.event_id, 0, null)).toBe(true);
  expect(begin(queue)).toEqual(row);
  queue.look();
  read(queue).answer([replayed]);
  expect(begin(queue)).toBeNull();
});
