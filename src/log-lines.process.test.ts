import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LogLines } from './log-lines.ts';
import { PACKAGE_ROOT } from './package-root.ts';

test('many lines are written together, and the last ones soon', async () => {
  const written: string[] = [];
  const lines = new LogLines((text) => written.push(text));
  for (let n = 0; n < 200; n += 1) lines.write(`${String(n).padStart(99, ' ')}\n`);
  expect(written.map((text) => text.length)).toEqual([16_000]);
  while (written.length < 2) await wait(10);
  expect(written.join('').split('\n').map(Number)).toEqual([...Array(200).keys(), 0]);
});

const ENDS: [string, string][] = [
  ['comes to its end', ''],
  ['is ended', 'process.exit(0);'],
  ['is ended by an error', 'setImmediate(() => { throw new Error(); });'],
];

const programThat = (end: string): string => `
  import { buildIfStale } from ${JSON.stringify(join(PACKAGE_ROOT, 'bin/build.mjs'))};
  buildIfStale();
  const { openLog } = await import(${JSON.stringify(join(PACKAGE_ROOT, 'dist/src/log.js'))});
  const log = openLog('info');
  for (let n = 0; n < 1000; n += 1) log.info({ n }, 'a line');
  ${end}`;

test.each(ENDS)('no line is lost when the process %s', (_, end) => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', programThat(end)]);
  expect(stdout.toString().trim().split('\n')).toHaveLength(1000);
});

// Only Linux has /dev/full, where each write fails as on a full disk.
test
  .skipIf(process.platform !== 'linux')
  .each<[string, string]>([...ENDS, ['waits a moment', 'await new Promise((go) => setTimeout(go, 500));']])(
  'a process that %s ends, although its log cannot be written (Linux)',
  (_, end) => {
    const full = openSync('/dev/full', 'w');
    const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', programThat(end)], {
      stdio: ['ignore', full, 'pipe'],
      timeout: 20_000,
    });
    closeSync(full);
    expect([signal, stderr.toString().includes('ENOSPC')]).toEqual([null, false]);
  },
);
