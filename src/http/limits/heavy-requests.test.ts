import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { HeavyRequests } from './heavy-requests.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Batches that stay until they are let go, and the order in which they began. */
function openHeavy() {
  const heavy = new HeavyRequests();
  const began: string[] = [];
  const ends: (() => void)[] = [];
  return {
    heavy,
    began,
    send: (team: string) => {
      heavy.hear(team);
      return heavy.run(team, () => {
        began.push(team);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    },
    endOne: async () => {
      ends.shift()?.();
      await wait(0);
    },
  };
}

test('whoever is alone has several batches under way', async () => {
  const { began, send } = openHeavy();
  for (let n = 0; n < 10; n += 1) void send('flood');
  await wait(0);
  expect(began).toHaveLength(8);
});

test('as long as another team is there, one batch is worked on at a time, and teams take turns', async () => {
  const { heavy, began, send, endOne } = openHeavy();
  heavy.hear('other');
  for (let n = 0; n < 4; n += 1) void send('flood');
  void send('other');
  void send('third');
  await wait(0);
  expect(began).toEqual(['flood']);
  for (let n = 0; n < 4; n += 1) await endOne();
  expect(began).toEqual(['flood', 'flood', 'other', 'third', 'flood']);
});

test('a second after the last request of another team, whoever floods is alone again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { heavy, began, send, endOne } = openHeavy();
  heavy.hear('other');
  for (let n = 0; n < 4; n += 1) void send('flood');
  await wait(0);
  expect(began).toHaveLength(1);
  vi.advanceTimersByTime(1_001);
  await endOne();
  expect(began).toHaveLength(4);
});

test('a team does not gather batches without end, and one that fails gives its place back', async () => {
  const { heavy, send, began, endOne } = openHeavy();
  heavy.hear('other');
  await expect(heavy.run('flood', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  for (let n = 0; n < 101; n += 1) void send('flood');
  await expect(send('flood')).rejects.toMatchObject({ code: 'not_ready' });
  await endOne();
  expect(began).toHaveLength(2);
});
