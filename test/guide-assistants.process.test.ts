import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { orderKit } from './factories.ts';
import { surroundings } from './program.ts';
import { startTestApp, type TestApp } from './test-app.ts';

const curl = spawnSync('curl', ['--version']).status === 0;
const guide = readFileSync('docs/guides/assistants.md', 'utf8');

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test.skipIf(!curl)(
  `the commands of the guide to assistants make a key and read an order${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { id: TEAM_ID, org_id: ORG_ID, management_key: MANAGEMENT_KEY } = app.team;
    const order = await orderKit(app.team);
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => lines);
    const env = { ...surroundings(), BASE_URL: app.baseUrl, TEAM_ID, ORG_ID, MANAGEMENT_KEY };
    const { stdout } = await promisify(execFile)('sh', ['-ec', commands.join('\n')], { env, cwd: PACKAGE_ROOT });
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: Record<string, unknown> });
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    const content = answers[1]?.result['content'] as { text: string }[] | undefined;
    expect(JSON.parse(content?.[0]?.text ?? 'null')).toMatchObject({ total: 1, orders: [{ order_id: order.id }] });
  },
);

test('an assistant that has the configuration of the guide lists the tools that the guide lists', async () => {
  type Config = { mcpServers: { phial: { command: string; args: string[]; env: Record<string, string> } } };
  const { mcpServers } = JSON.parse(/```json\n([^]*?)```/.exec(guide)?.[1] as string) as Config;
  const { command, args, env } = mcpServers.phial;
  const local = args.map((arg) =>
    arg === '/opt/phial/bin/phial.mjs' ? join(PACKAGE_ROOT, 'bin/phial.mjs') : arg.replace(/^https:.*/, app.baseUrl),
  );
  const given = Object.fromEntries(Object.keys(env).map((name) => [name, app.team.api_key]));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command, args: local, env: { ...surroundings(), ...given } }));
  const { tools } = await client.listTools();
  await client.close();
  expect([...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name).toSorted()).toEqual(
    tools.map(({ name }) => name).toSorted(),
  );
});
