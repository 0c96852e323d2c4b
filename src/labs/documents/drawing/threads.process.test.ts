// Threads run the built program. These tests use it as the service does.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../../package-root.ts';
import type { Drawing } from './draw-document.ts';
import { DrawingThreads } from './threads.ts';

const PROGRAM = pathToFileURL(join(PACKAGE_ROOT, 'dist/src/labs/documents/drawing/thread.js'));
let threads = new DrawingThreads(PROGRAM);
afterEach(async () => {
  await threads.close();
  threads = new DrawingThreads(PROGRAM);
});

const instructions = (fields: object = {}): Drawing =>
  ({
    kind: 'instructions',
    labTest: { name: 'Lipid panel', sample_type: 'dried_blood_spot', method: 'testkit', fasting: true },
    sender: { name: 'Desert Health', lines: [], contacts: [] },
    at: '2026-01-01T00:00:00.000Z',
    footer: 'Lipid panel',
    ...fields,
  }) as unknown as Drawing;

test('documents are drawn without the thread that answers requests', async () => {
  const first = await threads.draw(instructions());
  expect(first.subarray(0, 5).toString()).toBe('%PDF-');
  const before = performance.eventLoopUtilization();
  const drawn = await Promise.all(Array.from({ length: 40 }, () => threads.draw(instructions())));
  const { active, idle } = performance.eventLoopUtilization(before);
  expect(drawn.every((bytes) => bytes.equals(first))).toBe(true);
  expect(active / (active + idle)).toBeLessThan(0.5);
});

test('a refusal keeps its code, and an unforeseen error leaves out its message, which may quote a record', async () => {
  const refused = threads.draw(instructions({ labTest: { name: 'Lipid panel', sample_type: 'unheard of' } }));
  await expect(refused).rejects.toMatchObject({ code: 'document_not_available' });
  const sender = { name: 'Grace Palmer', lines: 'no list', contacts: [] };
  const error = await threads.draw(instructions({ sender, at: 'Grace Palmer' })).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ message: expect.stringMatching(/^A document could not be drawn: \w+Error$/) });
  expect((error as Error).stack).toContain('documents/');
  expect((error as Error).stack).not.toContain('Grace');
});

test('when a thread ends, its documents are refused for now, and the next ones are drawn', async () => {
  const lost = threads.draw(instructions());
  await threads.close();
  await expect(lost).rejects.toMatchObject({ code: 'not_ready' });
  expect(threads.size).toBe(0);
  expect((await threads.draw(instructions())).length).toBeGreaterThan(1_000);
});

test.skipIf(process.platform !== 'linux')(
  'drawing threads have a lower priority than requests (only Linux has priorities of threads)',
  async () => {
    await threads.draw(instructions());
    // In `stat`, the 17th value after the name in parentheses is the nice value, the thread's priority (proc(5)).
    const niceOf = (thread: string): number =>
      Number(readFileSync(`/proc/self/task/${thread}/stat`, 'latin1').split(') ')[1]?.split(' ')[16]);
    const others = readdirSync('/proc/self/task').filter((thread) => thread !== String(process.pid));
    expect(Math.max(...others.map(niceOf))).toBeGreaterThan(niceOf(String(process.pid)));
  },
);
