import { expect, test } from 'vitest';
import { newId } from '../../ids.ts';
import { QueueNotifications } from './queue-notifications.ts';

const [a, b] = [newId(), newId()];

test('events are remembered by endpoint, until they are too many or a notification names none', () => {
  const notifications = new QueueNotifications();
  const events = Array.from({ length: 17 }, newId);
  expect(notifications.add(`${a}/${events[0]},${b}/${events[1]},${a}/${events[2]}`)).toBe(true);
  expect([...notifications.all]).toEqual([
    [a, [events[0], events[2]]],
    [b, [events[1]]],
  ]);
  notifications.add(b);
  notifications.add(`${b}/${events[3]}`);
  for (const event of events.slice(3)) notifications.add(`${a}/${event}`);
  expect([notifications.all.get(a)?.length, notifications.all.get(b)]).toEqual([16, null]);
  notifications.add(`${a}/${newId()}`);
  expect(notifications.all.get(a)).toBeNull();
});

test.each(['', 'all', `${a} ${b}`, `${a}/${b}/${a}`, `${a},`, a.toUpperCase()])(
  'a payload of another format stands for all queues: %j',
  (payload) => {
    const notifications = new QueueNotifications();
    expect(notifications.add(payload)).toBe(false);
    expect(notifications.all.size).toBe(0);
  },
);

test('a payload stands for all queues when a great many wait', () => {
  const notifications = new QueueNotifications();
  for (let n = 0; n <= 20_000; n += 1) notifications.add(newId());
  expect(notifications.add(a)).toBe(false);
  notifications.forget(notifications.all.keys().next().value as string);
  expect(notifications.add(a)).toBe(true);
});
