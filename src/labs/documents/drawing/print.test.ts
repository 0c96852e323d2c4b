import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TeamCtx } from '../../../context.ts';
import { Printer } from './print.ts';
import type { Drawing } from './draw-document.ts';

/** Returns the fields of a team's context that a printer reads. */
const teamOf = (org_id: string) => ({ team: { id: randomUUID(), org_id, settings: {} } }) as unknown as TeamCtx;
const drawingOf = (footer: string): Drawing => ({ kind: 'instructions', footer }) as Drawing;
const footerOf = (drawing: Drawing): string => (drawing as { footer: string }).footer;

/** Makes a printer that records the documents that it draws. No drawing ends before the promise `gate` resolves. */
function openPrinter(gate: Promise<unknown> = Promise.resolve()): { printer: Printer; drawn: string[] } {
  const drawn: string[] = [];
  const printer = new Printer(async (drawing) => {
    drawn.push(footerOf(drawing));
    await gate;
    await setImmediate();
    return Buffer.from(footerOf(drawing));
  });
  return { printer, drawn };
}

test('a document of the same data is drawn once, also while it is under way, and anew for changed data', async () => {
  const { printer, drawn } = openPrinter();
  const team = teamOf(randomUUID());
  const both = await Promise.all([printer.print(team, drawingOf('one')), printer.print(team, drawingOf('one'))]);
  expect([...both, await printer.print(team, drawingOf('one'))].map(String)).toEqual(['one', 'one', 'one']);
  expect(drawn).toEqual(['one']);
  expect(String(await printer.print(team, drawingOf('other')))).toBe('other');
  expect(drawn).toEqual(['one', 'other']);
});

test('a team never gets the document of another team, even with the same data', async () => {
  const { printer, drawn } = openPrinter();
  for (const team of [teamOf('a'), teamOf('a')]) await printer.print(team, drawingOf('one'));
  expect(drawn).toEqual(['one', 'one']);
});

test('a document that fails is drawn again at the next request', async () => {
  let tries = 0;
  const printer = new Printer(async () => {
    tries += 1;
    throw new Error('broken');
  });
  const team = teamOf('a');
  for (let n = 0; n < 2; n += 1) await expect(printer.print(team, drawingOf('one'))).rejects.toThrow('broken');
  expect(tries).toBe(2);
});

test('organisations get permits in round robin, and a team with too many documents is refused for now', async () => {
  let go = (): void => undefined;
  const { printer, drawn } = openPrinter(new Promise<void>((resolve) => (go = resolve)));
  const [many, few] = [teamOf('many'), teamOf('few')];
  const asked: Promise<Buffer>[] = [];
  const ask = (team: typeof many, name: string): void => void asked.push(printer.print(team, drawingOf(name)));
  for (let n = 0; drawn.length === n; n += 1) {
    ask(many, `many ${n}`);
    await setImmediate();
  }
  const underWay = drawn.length;
  for (let n = 0; n < 49; n += 1) ask(many, `many, later ${n}`);
  await expect(printer.print(many, drawingOf('too much'))).rejects.toMatchObject({ code: 'not_ready' });
  ask(few, 'few');
  await setImmediate();
  expect(drawn.slice(underWay)).toEqual(['few']);
  go();
  expect(await Promise.all(asked)).toHaveLength(asked.length);
});
