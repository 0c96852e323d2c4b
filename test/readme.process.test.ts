import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { endPrograms, makeDatabase } from './program.ts';
import { serveHere } from './serve-here.ts';

afterEach(endPrograms);

const curl = spawnSync('curl', ['--version']).status === 0;

/** The first block of shell commands in a text. */
const linesOf = (text: string): string => /```sh\n([^]*?)```/.exec(text)?.[1] ?? '';
const beginning = (): string =>
  linesOf(readFileSync('README.md', 'utf8').split('## The first five minutes\n')[1] ?? '');
const guide = (name: string): string => linesOf(readFileSync(`docs/guides/${name}.md`, 'utf8'));

test.skipIf(!curl)(
  `the first five minutes of README and the guides that begin there work${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { dataDir, stop } = await serveHere({ env: { DATABASE_URL: await makeDatabase() } });
    const guides = ['order-a-blood-draw', 'try-a-wearable', 'receive-a-webhook'];
    const script = [beginning(), ...guides.map(guide)]
      .join('\n')
      .replace('.phial/credentials.json', join(dataDir, 'credentials.json'));
    const { stdout: output } = await promisify(execFile)('sh', ['-c', script], { timeout: 90_000 });
    await stop();
    expect(output).toMatch(/^"Success"\nreceived\n"Success"\n\{.*"results":\[\{.*\}\n/s);
    expect(output).toMatch(/\n20\d\d-[^\n]+\n"Success"\ncompleted\.walk_in_test\.completed\n\s*\d{5}\n/);
    expect(output).toMatch(/\{"success":true.*\}\n[5-9]\n\{"results":\[\{"table":\{"group_key\.0":\["\d{4}/s);
    expect(output).toMatch(/\n\{"id":".*"url":"http:\/\/127/s);
  },
);
