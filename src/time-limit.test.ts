import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withinTime } from './time-limit.ts';

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

test('the signal is aborted when the time is over and when the process stops, also if it stopped before', async () => {
  expect(await withinTime({ ms: 1 }, aborted)).toMatchObject({ name: 'TimeoutError' });
  const stopping = new AbortController();
  const reason = withinTime({ ms: 60_000, outer: stopping.signal }, aborted);
  stopping.abort('stopping');
  expect(await reason).toBe('stopping');
  expect(await withinTime({ ms: 60_000, outer: stopping.signal }, async ({ aborted }) => aborted)).toBe(true);
});

test('work that ended, with or without an error, leaves no listener on a signal that lives on', async () => {
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
