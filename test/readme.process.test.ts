import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endPrograms, makeDatabase, serve } from './program.ts';

afterEach(endPrograms);

const curl = spawnSync('curl', ['--version']).status === 0;

/** The shell lines below a heading of the README. */
function linesBelow(heading: string): string {
  const chapter = readFileSync('README.md', 'utf8').split(`## ${heading}\n`)[1] ?? '';
  return /```sh\n([^]*?)```/.exec(chapter)?.[1] ?? '';
}

test.skipIf(!curl)(
  `the README's first five minutes end with results, and its webhook is made${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { dataDir } = await serve({ env: { DATABASE_URL: await makeDatabase() } });
    const chapters = ['The first five minutes', 'A blood draw', 'Wearables', 'One webhook'];
    const script = chapters
      .map(linesBelow)
      .join('\n')
      .replace('.phial/credentials.json', join(dataDir, 'credentials.json'));
    const told = execFileSync('sh', ['-c', script], { encoding: 'utf8', timeout: 90_000 });
    expect(told).toMatch(/^"Success"\nreceived\n"Success"\n\{.*"results":\[\{.*\}\n/s);
    expect(told).toMatch(/\n20\d\d-[^\n]+\n"Success"\ncompleted\.walk_in_test\.completed\n\s*\d{5}\n/);
    expect(told).toMatch(/\{"success":true.*\}\n[5-9]\n\{"results":\[\{"table":\{"group_key\.0":\["\d{4}/s);
    expect(told).toMatch(/\n\{"id":".*"url":"http:\/\/127/s);
  },
);
