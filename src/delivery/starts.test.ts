import { expect, test } from 'vitest';
import { Starts } from './starts.ts';

type Pending = { promise: Promise<void>; resolve: () => void };

function pending(): Pending {
  const made = {} as Pending;
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}

/** Lets all callbacks run that are due, and returns true if the promise has resolved by then. */
async function hasResolved(promise: Promise<void>): Promise<boolean> {
  let isResolved = false;
  void promise.then(() => (isResolved = true));
  await new Promise(setImmediate);
  return isResolved;
}

test('two run at the same time, and the third starts when one of them has ended', async () => {
  const starts = new Starts(() => undefined);
  const first = pending();
  const second = pending();
  starts.add(first.promise);
  expect(await hasResolved(starts.untilFree())).toBe(true);
  starts.add(second.promise);
  const untilOneEnds = starts.untilFree();
  expect(await hasResolved(untilOneEnds)).toBe(false);
  first.resolve();
  expect(await hasResolved(untilOneEnds)).toBe(true);
  expect(starts.running).toBe(1);
  const all = starts.all();
  expect(await hasResolved(all)).toBe(false);
  second.resolve();
  expect(await hasResolved(all)).toBe(true);
});

test('a failure calls `onFailure` at once and is thrown once', async () => {
  let failures = 0;
  const starts = new Starts(() => (failures += 1));
  starts.add(Promise.reject(new Error('the database is away')));
  await starts.all();
  expect(failures).toBe(1);
  expect(() => starts.throwFailure()).toThrow('the database is away');
  expect(() => starts.throwFailure()).not.toThrow();
});
