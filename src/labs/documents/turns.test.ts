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

test('a document of many pages lets those of other teams in between two of them, and goes on before more of its own team', async () => {
  const [many, few] = [randomUUID(), randomUUID()];
  const made: string[] = [];
  const long = inTurn(many, async (giveWay) => {
    for (let page = 1; page <= 3; page += 1) {
      made.push(`page ${page}`);
      await giveWay();
    }
  });
  const own = inTurn(many, async () => void made.push('own'));
  const other = inTurn(few, async () => void made.push('other'));
  await Promise.all([long, own, other]);
  expect(made.indexOf('other')).toBeLessThan(made.indexOf('page 3'));
  expect(made.at(-1)).toBe('own');
});
