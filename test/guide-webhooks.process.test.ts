import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { endPrograms, makeFolder } from './program.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
  await endPrograms();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test.skipIf(!curl)(
  `the commands of the guide to webhooks verify them with each secret${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const guide = readFileSync('docs/guides/verify-webhooks.md', 'utf8');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => `${lines}\necho`);
    const folder = makeFolder();
    writeFileSync(join(folder, 'endpoint.mjs'), /```js\n([^]*?)```/.exec(guide)?.[1] ?? '');
    const { id, org_id, api_key } = app.team;
    const given = {
      BASE_URL: app.baseUrl,
      TEAM_API_KEY: api_key,
      TEAM_ID: id,
      ORG_ID: org_id,
      MANAGEMENT_KEY: app.team.management_key,
    };
    // The block of README exports nothing, so programs that the guide starts do not see these variables.
    const variables = Object.entries(given).map(([name, value]) => `${name}='${value}'`);
    const script = [...variables, ...commands]
      .join('\n')
      .replace('ENDPOINT_PORT=4100', `ENDPOINT_PORT=${await freePort()}`);
    let isDone = false;
    const running = promisify(execFile)('sh', ['-ec', script], { cwd: folder }).finally(() => (isDone = true));
    while (!isDone) await app.deliver();
    const lines = (await running).stdout.match(/\{"verified".*?\}/g) ?? [];
    const outcome = lines.map((line) => JSON.parse(line) as { verified: string[]; outputs: string });
    expect(readFileSync(join(folder, 'outcomes.txt'), 'utf8').split('\n')[0]).toBe(
      '{"verified":[],"outcome":"not of Phial"}',
    );
    const created = { outcome: 'daily.data.heartrate.created' };
    expect(outcome).toEqual([
      { ...created, verified: ['v1', 'v1a'] },
      { ...created, verified: ['v1', 'v1a'] },
      { ...created, verified: ['v1'] },
    ]);
  },
  60_000,
);
