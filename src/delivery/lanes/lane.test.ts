// What the owner of a lane remembers of it, without a database.
import { expect, test } from 'vitest';
import { newId } from '../../ids.ts';
import { BEGINNING } from './discover.ts';
import { Lane } from './lane.ts';
import type { Queued } from './queue.ts';

const openLane = (slots = 16): Lane => new Lane({ webhook_id: newId(), team_id: newId(), fence: 1 }, slots, 0);
const first = (event_id = newId()): Queued => ({ webhook_id: '', event_id, attempt: 1, from: 'deliveries' });
const begin = (lane: Lane): Queued | null => lane.next(0, null);

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
  lane.end(row, { ok: true, error: null });
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
  lane.end(row, { ok: false, error: 'timeout' });
  lane.addRetries([], retries?.most ?? 0, 0);
  reading.answer([row]);
  expect(begin(lane)).toBeNull();
});

test('a row that was given up is read and begun anew', () => {
  const lane = openLane();
  const row = first();
  read(lane).answer([row]);
  begin(lane);
  lane.end(row, null);
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
  lane.end(row, null);
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
    lane.end(row, { ok: true, error: null });
  }
  lane.look();
  const behind = read(lane);
  expect(behind.after > late.event_id).toBe(true);
  behind.answer([]);
  const again = read(lane);
  expect(again.after < late.event_id).toBe(true);
  again.answer([late]);
  expect(begin(lane)).toEqual(late);
  lane.end(late, { ok: true, error: null });
  expect(lane.firstAttemptsWanted()).toBeNull();
});
