import { expect, test } from 'vitest';
import { Starts } from './starts.ts';

type Pending = { promise: Promise<void>; resolve: () => void };

function pending(): Pending {
  const made = {} as Pending;
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}

/** Whether it has resolved once everything that was due has run. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await new Promise(setImmediate);
  return settled;
}

test('two may run at once, and the third begins when one of them has ended', async () => {
  const starts = new Starts(() => undefined);
  const first = pending();
  const second = pending();
  starts.add(first.promise);
  expect(await isSettled(starts.room())).toBe(true);
  starts.add(second.promise);
  const room = starts.room();
  expect(await isSettled(room)).toBe(false);
  first.resolve();
  expect(await isSettled(room)).toBe(true);
  expect(starts.running).toBe(1);
  const all = starts.all();
  expect(await isSettled(all)).toBe(false);
  second.resolve();
  expect(await isSettled(all)).toBe(true);
});

test('what one fails with is told of at once, and thrown once to whoever asks', async () => {
  let told = 0;
  const starts = new Starts(() => (told += 1));
  starts.add(Promise.reject(new Error('the database is away')));
  await starts.all();
  expect(told).toBe(1);
  expect(() => starts.throwFailure()).toThrow('the database is away');
  expect(() => starts.throwFailure()).not.toThrow();
});
