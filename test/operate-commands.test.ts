// Runs the blocks of docs/operate/commands.md against a sandbox that serves.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveCommands } from './command-server.ts';
import { makeClone, openPage, runIn } from './operate-blocks.ts';
import { endPrograms, makeDatabase } from './program.ts';
import { serveHere, type Served } from './serve-here.ts';

let folder: string;
let DATABASE_URL: string;
let service: Served;
let commands: Awaited<ReturnType<typeof serveCommands>>;
beforeAll(async () => {
  folder = makeClone();
  DATABASE_URL = await makeDatabase();
  service = await serveHere({ env: { DATABASE_URL } });
  commands = await serveCommands(folder);
});
afterAll(async () => {
  await commands.close();
  await service.stop();
  await endPrograms();
});

// A demo clinic takes a minute on a busy machine.
test('the commands of the page work in their order', async () => {
  const page = openPage('commands');
  const run = (heading: string): Promise<string> =>
    runIn(folder, page.next(heading), { ...commands.env, DATABASE_URL, PHIAL_DATA_DIR: service.dataDir });

  const help = await run('Commands');
  expect(help).toMatch(/^ {2}phial .*\n/);
  expect(help).toContain("\n  phial org keys create --org ID --label 'Night jobs'\n");
  await run('Let the shell complete');
  expect(readFileSync(join(folder, 'phial-completion.bash'), 'utf8')).toContain('complete -o default -F _phial phial');
  const documents = await run('Commands');
  expect(documents).toMatch(/^\{\n {2}"organisations": \[/);
  expect(documents).toMatch(/"applied": \[\]/);
  const asked = await run('Ask a running service');
  expect(asked).toMatch(/^ok +service +/m);
  expect(asked).toContain('No order matches.');
  expect(asked).toContain('"users": []');
  const triggered = await run('Ask a running service');
  expect(triggered).toMatch(/^\S+Z labtest\.order\.created /);
  expect(triggered).toContain('Cannot be triggered.');
  expect(await run('Ask a running service')).toBe('The demo clinic is loaded.\n');
  await run('Export');
  expect(readFileSync(join(folder, 'team.ndjson'), 'utf8')).toContain('"type":"end"');
  expect(page.left).toEqual([]);
}, 300_000);
