import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { findFreePort } from '../bench/free-port.ts';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { endPrograms, makeDatabase, makeFolder } from './program.ts';
import { serveHere } from './serve-here.ts';

afterEach(endPrograms);

const curl = spawnSync('curl', ['--version']).status === 0;

/** The blocks of a text in a language, without the indent of a list. */
const blocksOf = (text: string, language: 'sh' | 'js'): string[] =>
  [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)\\1\`\`\``, 'gm'))].map(([, indent, lines = '']) =>
    lines.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
const beginning = (): string =>
  blocksOf(readFileSync('README.md', 'utf8').split('## The first five minutes\n')[1] ?? '', 'sh')[0] ?? '';
const textOf = (name: string): string => readFileSync(`docs/guides/${name}.md`, 'utf8');
const guide = (name: string): string => blocksOf(textOf(name), 'sh').join('\n');

test.skipIf(!curl)(
  `the first five minutes of README and the guides that begin there work${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { dataDir, stop } = await serveHere({ env: { DATABASE_URL: await makeDatabase() } });
    const port = await findFreePort();
    const folder = makeFolder();
    symlinkSync(join(PACKAGE_ROOT, 'node_modules'), join(folder, 'node_modules'));
    const [program = ''] = blocksOf(textOf('receive-a-webhook'), 'js');
    writeFileSync(join(folder, 'endpoint.mjs'), program.replace('4000', String(port)));
    const guides = ['order-a-blood-draw', 'try-a-wearable', 'order-a-kit', 'receive-a-webhook'];
    const script = [beginning(), ...guides.map(guide), 'until grep connection verified; do sleep 0.1; done; kill $!']
      .join('\n')
      .replace('.phial/credentials.json', join(dataDir, 'credentials.json'))
      .replace('127.0.0.1:4000', `127.0.0.1:${port}`)
      .replace('endpoint.mjs &', 'endpoint.mjs > verified &');
    const { stdout: output } = await promisify(execFile)('sh', ['-c', script], { timeout: 90_000, cwd: folder });
    await stop();
    expect(output).toMatch(/^"Success"\nreceived\n"Success"\n\{.*"results":\[\{.*\}\n/s);
    expect(output).toMatch(/\n20\d\d-[^\n]+\n"Success"\ncompleted\.walk_in_test\.completed\n\s*\d{5}\n/);
    expect(output).toMatch(/\{"success":true.*\}\n[5-9]\n\{"results":\[\{"table":\{"group_key\.0":\["\d{4}/s);
    expect(output).toMatch(/\nverified provider\.connection\.created\n/);
    expect(output).toMatch(/\nreceived\n\s*\d{4,6}\n/);
    expect(output).toMatch(/\nredraw\nreceived\.testkit\.ordered\n[^]*\nfailed\.testkit\.sample_error\n/);
  },
);
