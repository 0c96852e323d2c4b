// Runs the blocks of docs/operate/commands.md against a sandbox that serves.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveCommands } from './command-server.ts';
import { makeClone, openPage, runIn } from './operate-blocks.ts';
import { endPrograms } from './program.ts';

let folder: string;
let commands: Awaited<ReturnType<typeof serveCommands>>;
beforeAll(async () => {
  folder = makeClone();
  commands = await serveCommands(folder);
});
afterAll(async () => {
  await commands.close();
  await endPrograms();
});

test('the commands of the page work in their order', async () => {
  const page = openPage('commands');
  const run = (heading: string): Promise<string> => runIn(folder, page.next(heading), commands.env);

  const help = await run('Commands');
  expect(help).toMatch(/^ {2}phial .*\n/);
  expect(help).toContain("\n  phial org keys create --org ID --label 'Night jobs'\n");
  await run('Let the shell complete');
  expect(readFileSync(join(folder, 'phial-completion.bash'), 'utf8')).toContain('complete -o default -F _phial phial');
  expect(page.left).toEqual([]);
});
