// What the owner of a lane remembers of it, without a database.
import { describe, expect, test } from 'vitest';
import { newId } from '../../ids.ts';
import { BEGINNING } from './discover.ts';
import { Lane } from './lane.ts';
import type { Queued } from './queue.ts';

const newLane = (slots: number): Lane =>
  new Lane({ webhook_id: newId(), team_id: newId(), org_id: newId(), fence: 1 }, slots, 0);
/** One whose receiver has answered so often that it has all its slots. */
function openLane(slots = 16): Lane {
  const lane = newLane(slots);
  for (let n = 0; n < slots; n += 1) {
    const row = first();
    lane.beginReplayed(row.event_id, -1, null);
    lane.end(row, ANSWERED, -1);
  }
  return lane;
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
const begin = (lane: Lane, now = 0): Queued | null => lane.next(now, null);
const ANSWERED = { ok: true, status: 204, error: null, duration_ms: 5, retry_after_seconds: null };
const TIMED_OUT = { ...ANSWERED, ok: false, status: null, error: 'timeout' as const, duration_ms: 2_000 };
const answered = (status: number, retry_after_seconds: number | null = null) => ({
  ...ANSWERED,
  ok: false,
  status,
  retry_after_seconds,
});

/** Begins a read; what is called gives it the answer. */
function read(lane: Lane): { after: string; most: number; answer: (rows: Queued[]) => void } {
  const wanted = lane.firstAttemptsWanted();
  if (!wanted) throw new Error('The lane wants nothing.');
  return { ...wanted, answer: (rows) => lane.addFirsts(rows, wanted.most) };
}

test('a row that is settled while the queue is being read is not sent again', () => {
  const lane = openLane();
  const row = first();
  read(lane).answer([row]);
  expect(begin(lane)).toEqual(row);
  lane.look();
  const reading = read(lane);
  lane.end(row, ANSWERED, 0);
  reading.answer([row]);
  expect(begin(lane)).toBeNull();
});

test('a row that is settled while two reads are under way is not sent again by the later one', () => {
  const lane = openLane();
  const row = first();
  read(lane).answer([row]);
  begin(lane);
  lane.look();
  const reading = read(lane);
  const retries = lane.retriesWanted(0);
  lane.end(row, TIMED_OUT, 0);
  lane.addRetries([], retries?.most ?? 0, 0);
  reading.answer([row]);
  expect(begin(lane)).toBeNull();
});

describe('what a lane is told of', () => {
  const told = (event_id: string): Queued => ({ ...first(event_id), from: 'told' });
  /** One that has read its queue to the end. */
  function emptyLane(): Lane {
    const lane = openLane();
    read(lane).answer([]);
    return lane;
  }
  const begunIn = (lane: Lane): Queued => ({ ...(begin(lane) as Queued), webhook_id: '' });

  test('is begun without a look at the queue, and once', () => {
    const lane = emptyLane();
    const [one, two] = [newId(), newId()];
    lane.tell([one, two]);
    lane.tell([two]);
    expect(lane.firstAttemptsWanted()).toBeNull();
    expect([begunIn(lane), begunIn(lane), begin(lane)]).toEqual([told(one), told(two), null]);
    lane.tell([one]);
    expect(begin(lane)).toBeNull();
  });

  test('is left to the queue where that is to be read, or where it is much', () => {
    const behind = emptyLane();
    behind.look();
    behind.tell([newId()]);
    expect(begin(behind)).toBeNull();
    expect(behind.firstAttemptsWanted()).not.toBeNull();
    const full = emptyLane();
    full.tell(Array.from({ length: 16 }, newId));
    expect(full.firstAttemptsWanted()).toBeNull();
    full.tell([newId()]);
    for (let n = 0; n < 8; n += 1) expect(begin(full)).not.toBeNull();
    expect(full.firstAttemptsWanted()).not.toBeNull();
  });
});

test('the queue is read when half of the slots would use up what was read', () => {
  const lane = openLane();
  const reading = read(lane);
  reading.answer(Array.from({ length: reading.most }, () => first()));
  expect(reading.most).toBe(32);
  for (let n = 0; n < 24; n += 1) {
    expect(lane.firstAttemptsWanted()).toBeNull();
    const row = begin(lane) as Queued;
    if (n < 8) lane.end(row, ANSWERED, 0);
  }
  expect(lane.firstAttemptsWanted()).toMatchObject({ webhook_id: lane.webhook_id });
});

test('retries are read although first attempts have every slot', () => {
  const lane = openLane();
  read(lane).answer(Array.from({ length: 20 }, () => first()));
  while (begin(lane));
  expect(lane.retriesWanted(0)).not.toBeNull();
});

test('a row that was given up is read and begun anew', () => {
  const lane = openLane();
  const row = first();
  read(lane).answer([row]);
  begin(lane);
  lane.end(row, null, 0);
  lane.lookFromBeginning();
  read(lane).answer([row]);
  expect(begin(lane)).toEqual(row);
});

test('a look from the beginning that is asked for while the queue is being read is made afterwards', () => {
  const lane = openLane();
  const row = first();
  read(lane).answer([row]);
  begin(lane);
  lane.look();
  const reading = read(lane);
  lane.lookFromBeginning();
  lane.end(row, null, 0);
  reading.answer([row]);
  const next = read(lane);
  expect(next.after).toBe(BEGINNING);
  next.answer([row]);
  expect(begin(lane)).toEqual(row);
});

test('what committed behind the place read last is found although its notification came before that', () => {
  const lane = openLane(1);
  const late = first();
  const full = read(lane);
  const rows = Array.from({ length: full.most }, () => first());
  full.answer(rows);
  for (const row of rows) {
    expect(begin(lane)).toEqual(row);
    lane.end(row, ANSWERED, 0);
  }
  lane.look();
  const behind = read(lane);
  expect(behind.after > late.event_id).toBe(true);
  behind.answer([]);
  const again = read(lane);
  expect(again.after < late.event_id).toBe(true);
  again.answer([late]);
  expect(begin(lane)).toEqual(late);
  lane.end(late, ANSWERED, 0);
  expect(lane.firstAttemptsWanted()).toBeNull();
});

test('a receiver that hangs is left with one slot and rests half to one and a half of what it made the attempt wait', () => {
  const rests = Array.from({ length: 50 }, () => {
    const lane = openLane(4);
    read(lane).answer(Array.from({ length: 8 }, () => first()));
    for (const slots of [4, 2, 1]) {
      const [row, ...others] = Array.from({ length: slots }, () => begin(lane)) as Queued[];
      expect([row, begin(lane)]).toEqual([expect.anything(), null]);
      for (const other of others) lane.end(other, null, 0);
      lane.end(row as Queued, TIMED_OUT, 0);
    }
    expect(begin(lane, lane.startsAt - 1)).toBeNull();
    expect(begin(lane, lane.startsAt)).not.toBeNull();
    return lane.startsAt;
  });
  expect(Math.min(...rests)).toBeGreaterThanOrEqual(1_000);
  expect(Math.max(...rests)).toBeLessThanOrEqual(3_050);
  expect(new Set(rests).size).toBeGreaterThan(10);
});

test('a receiver that timed out once and has slots left does not rest', () => {
  const lane = openLane(4);
  const row = first();
  read(lane).answer([row, first()]);
  begin(lane);
  lane.end(row, TIMED_OUT, 0);
  expect(begin(lane)).not.toBeNull();
});

test('a receiver whose slots all time out at once draws its rest once, not the longest of many', () => {
  const rests = Array.from({ length: 400 }, () => {
    const lane = openLane(16);
    read(lane).answer(Array.from({ length: 16 }, () => first()));
    const begun = Array.from({ length: 16 }, () => begin(lane)) as Queued[];
    for (const row of begun) lane.end(row, TIMED_OUT, 0);
    return lane.startsAt;
  });
  const mean = rests.reduce((sum, rest) => sum + rest, 0) / rests.length;
  // Half to one and a half of 2,000 ms, rounded up to 50: the longest of twelve draws would be about 2,900.
  expect(mean).toBeGreaterThan(1_850);
  expect(mean).toBeLessThan(2_200);
});

test('a receiver of which nothing is known is sent four deliveries at once, and one more for each that it takes', () => {
  const lane = newLane(16);
  read(lane).answer(Array.from({ length: 16 }, () => first()));
  const begun = Array.from({ length: 5 }, () => begin(lane));
  expect(begun.map((row) => row !== null)).toEqual([true, true, true, true, false]);
  lane.end(begun[0] as Queued, ANSWERED, 0);
  expect([begin(lane), begin(lane), begin(lane)].map((row) => row !== null)).toEqual([true, true, false]);
});

describe('a receiver that has answered nothing for a second', () => {
  /** A lane with `begun` under way since 0 and more that waits. */
  function waitingLane(begun: number): { lane: Lane; rows: Queued[] } {
    const lane = openLane();
    read(lane).answer(Array.from({ length: 16 }, () => first()));
    return { lane, rows: Array.from({ length: begun }, () => begin(lane) as Queued) };
  }

  test('is sent no third delivery, long before the first time-out', () => {
    const { lane } = waitingLane(2);
    expect(lane.isReady(1_001)).toBe(false);
    expect(begin(lane, 1_001)).toBeNull();
    const { lane: other } = waitingLane(1);
    expect(begin(other, 5_000)).not.toBeNull();
    expect(begin(other, 5_000)).toBeNull();
  });

  test.each([204, 500])('has all its slots again as soon as it answers something, such as %i', (status) => {
    const { lane, rows } = waitingLane(4);
    expect(begin(lane, 2_000)).toBeNull();
    lane.end(rows[1] as Queued, { ...answered(status), ok: status < 300 }, 2_000);
    expect(lane.isReady(2_000)).toBe(true);
    for (let n = 0; n < 8; n += 1) expect(begin(lane, 2_000)).not.toBeNull();
  });

  test('has none of them again by a time-out', () => {
    const { lane, rows } = waitingLane(4);
    lane.end(rows[0] as Queued, TIMED_OUT, 2_000);
    expect(begin(lane, 2_000)).toBeNull();
  });

  test('is another than one that takes five seconds for each of many answers', () => {
    const { lane, rows } = waitingLane(4);
    lane.end(rows[0] as Queued, ANSWERED, 900);
    expect(begin(lane, 5_000)).not.toBeNull();
  });
});

test('a change of the receiver ends its rest', () => {
  const lane = openLane(1);
  const row = first();
  read(lane).answer([row, first()]);
  begin(lane);
  lane.end(row, TIMED_OUT, 0);
  expect(begin(lane)).toBeNull();
  lane.resume();
  expect(begin(lane)).not.toBeNull();
});

describe('a receiver that asks for less', () => {
  /** A lane with more than enough to begin, and one delivery of it under way. */
  function busyLane(slots: number): { lane: Lane; row: Queued } {
    const lane = openLane(slots);
    const { answer, most } = read(lane);
    answer(Array.from({ length: most }, () => first()));
    return { lane, row: begin(lane) as Queued };
  }

  test.each([
    [429, 40, 40_000],
    [503, 40, 40_000],
    [502, 7, 7_000],
    [504, 299, 299_000],
    [429, 999_999, 300_000],
  ])('%i with Retry-After %i: nothing that waits for it is begun for %i ms', (status, seconds, ms) => {
    const { lane, row } = busyLane(16);
    lane.end(row, answered(status, seconds), 1_000);
    expect(begin(lane, 1_000 + ms - 1)).toBeNull();
    expect(begin(lane, 1_000 + ms)).not.toBeNull();
  });

  test.each([429, 502, 504])('by %i alone is left with one slot, and then rests twice as long each time', (status) => {
    const { lane, row } = busyLane(16);
    const begun = [row, ...Array.from({ length: 15 }, () => begin(lane) as Queued)];
    for (const one of begun) lane.end(one, answered(status), 0);
    const rests: number[] = [];
    for (let now = 0, n = 0; n < 9; n += 1) {
      rests.push(lane.startsAt - now);
      now = lane.startsAt;
      const one = begin(lane, now) as Queued;
      expect(begin(lane, now)).toBeNull();
      lane.end(one, answered(status), now);
    }
    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test('and takes one again rests as if for the first time when it next asks', () => {
    const { lane, row } = busyLane(1);
    lane.end(row, answered(429), 0);
    lane.end(begin(lane, 1_000) as Queued, answered(429), 1_000);
    expect(lane.startsAt).toBe(3_000);
    lane.end(begin(lane, 3_000) as Queued, ANSWERED, 3_000);
    lane.end(begin(lane, 3_000) as Queued, answered(429), 3_000);
    expect(lane.startsAt).toBe(4_000);
  });

  test.each([500, 503, 404, 401])('does not do so by %i', (status) => {
    const { lane, row } = busyLane(1);
    lane.end(row, answered(status), 0);
    expect(begin(lane, 0)).not.toBeNull();
  });

  test('seldom keeps its slots', () => {
    const { lane, row } = busyLane(16);
    lane.end(row, answered(502), 0);
    for (let n = 0; n < 8; n += 1) lane.end(begin(lane) as Queued, ANSWERED, 0);
    expect(Array.from({ length: 16 }, () => begin(lane))).not.toContain(null);
  });

  test('and is changed is asked at once', () => {
    const { lane, row } = busyLane(16);
    lane.end(row, answered(429, 200), 0);
    lane.resume();
    expect(begin(lane, 0)).not.toBeNull();
  });
});

test('a replay has half of the slots, and none while anything else waits or before the rate allows it', () => {
  const lane = openLane(8);
  expect(lane.hasRoomForReplay(0, null)).toBe(false);
  read(lane).answer([first()]);
  expect(lane.hasRoomForReplay(0, null)).toBe(false);
  begin(lane);
  let replayed = 0;
  for (; lane.hasRoomForReplay(0, null); replayed += 1) lane.beginReplayed(newId(), 0, null);
  expect(replayed).toBe(3);
  expect(openLane().hasRoomForReplay(0, 1)).toBe(false);
});

test('a replay passes over what the lane has in hand, and the lane what a replay has', () => {
  const lane = openLane();
  const row = first();
  read(lane).answer([row]);
  expect(lane.beginReplayed(row.event_id, 0, null)).toBe(false);
  const replayed = first();
  expect(lane.beginReplayed(replayed.event_id, 0, null)).toBe(true);
  expect(begin(lane)).toEqual(row);
  lane.look();
  read(lane).answer([replayed]);
  expect(begin(lane)).toBeNull();
});
