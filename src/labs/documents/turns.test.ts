import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inTurn } from './turns.ts';

test('one document is made at a time, teams take turns, and a team whose queue is full is told to come again', async () => {
  const [many, few] = [randomUUID(), randomUUID()];
  const made: string[] = [];
  let busy = 0;
  const make = (team: string) =>
    inTurn(team, async () => {
      busy += 1;
      expect(busy).toBe(1);
      await setImmediate();
      busy -= 1;
      made.push(team);
    });
  const all = Array.from({ length: 51 }, () => make(many));
  all.push(make(few));
  await expect(make(many)).rejects.toMatchObject({ code: 'not_ready' });
  await Promise.all(all);
  expect(made.indexOf(few)).toBeLessThan(3);
  expect(made.length).toBe(52);
});

test('a document that fails lets the next one begin', async () => {
  const team = randomUUID();
  await expect(inTurn(team, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await inTurn(team, async () => 'made')).toBe('made');
});
