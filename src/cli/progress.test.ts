import { expect, test, vi } from 'vitest';
import { openProgress } from './progress.ts';

function streamOf(isTTY: boolean): { written: string[]; stream: Parameters<typeof openProgress>[0] } {
  const written: string[] = [];
  return { written, stream: { isTTY, columns: 40, write: (text: string) => written.push(text) > 0 } as never };
}

test('at a terminal long work has one line with a bar, which goes at the end', () => {
  const { written, stream } = streamOf(true);
  const progress = openProgress(stream);
  vi.spyOn(performance, 'now').mockReturnValue(1_000);
  progress.show('1 of 4 tables, and words that no terminal has room for', { done: 1, total: 4 });
  progress.show('too soon after the first');
  progress.end();
  vi.restoreAllMocks();
  expect(written).toEqual([
    expect.stringContaining(`\r\u001B[K[${'#'.repeat(6)}${'-'.repeat(18)}] 25 % 1`),
    '\r\u001B[K',
  ]);
  expect(written[0]?.length).toBeLessThanOrEqual(4 + 39);
});

test('elsewhere it has a plain line every five seconds, without a bar or colours', () => {
  const { written, stream } = streamOf(false);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const progress = openProgress(stream);
  for (const at of [1_000, 5_000, 6_000, 10_000]) {
    clock.mockReturnValue(at);
    progress.show(`at ${at}`, { done: 1, total: 4 });
  }
  progress.end();
  vi.restoreAllMocks();
  expect(written).toEqual(['at 5000\n', 'at 10000\n']);
});

test('what came last is shown though nothing follows it', async () => {
  const { written, stream } = streamOf(true);
  const progress = openProgress(stream);
  progress.show('Applying the first');
  progress.show('Applying one that takes an hour');
  await vi.waitFor(() => expect(written.at(-1)).toContain('an hour'));
  progress.end();
  expect(written).toHaveLength(3);
});
