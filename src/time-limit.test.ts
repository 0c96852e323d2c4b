import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withinTime } from './time-limit.ts';

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

test('work is told that the time is over, and that the process stops, also where it did so before', async () => {
  expect(await withinTime({ ms: 1 }, aborted)).toMatchObject({ name: 'TimeoutError' });
  const stopping = new AbortController();
  const told = withinTime({ ms: 60_000, outer: stopping.signal }, aborted);
  stopping.abort('stopping');
  expect(await told).toBe('stopping');
  expect(await withinTime({ ms: 60_000, outer: stopping.signal }, async ({ aborted }) => aborted)).toBe(true);
});

test('work that ended, either way, leaves nothing at a signal that lives on', async () => {
  const { signal } = new AbortController();
  let given: AbortSignal | undefined;
  await withinTime({ ms: 5, outer: signal }, async (its) => {
    given = its;
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });
  const broken = withinTime({ ms: 5, outer: signal }, async () => {
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  await wait(10);
  expect(given?.aborted).toBe(false);
});
