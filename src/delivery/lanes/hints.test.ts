import { expect, test } from 'vitest';
import { newId } from '../../ids.ts';
import { Hints } from './hints.ts';

const [a, b] = [newId(), newId()];

test('events are kept by receiver, until they are too many or one was not named', () => {
  const hints = new Hints();
  const events = Array.from({ length: 17 }, newId);
  expect(hints.add(`${a}/${events[0]},${b}/${events[1]},${a}/${events[2]}`)).toBe(true);
  expect([...hints.all]).toEqual([
    [a, [events[0], events[2]]],
    [b, [events[1]]],
  ]);
  hints.add(b);
  hints.add(`${b}/${events[3]}`);
  for (const event of events.slice(3)) hints.add(`${a}/${event}`);
  expect([hints.all.get(a)?.length, hints.all.get(b)]).toEqual([16, null]);
  hints.add(`${a}/${newId()}`);
  expect(hints.all.get(a)).toBeNull();
});

test.each(['', 'all', `${a} ${b}`, `${a}/${b}/${a}`, `${a},`, a.toUpperCase()])(
  'what is told in other words tells of any lane: %j',
  (payload) => {
    const hints = new Hints();
    expect(hints.add(payload)).toBe(false);
    expect(hints.all.size).toBe(0);
  },
);

test('what comes when a great many wait tells of any lane', () => {
  const hints = new Hints();
  for (let n = 0; n <= 20_000; n += 1) hints.add(newId());
  expect(hints.add(a)).toBe(false);
  hints.forget(hints.all.keys().next().value as string);
  expect(hints.add(a)).toBe(true);
});
