import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { subscribe } from './factories.ts';
import { startEndpoint } from './endpoint.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test.skipIf(!curl)(
  `the commands of the guide to outages recover and replay${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { team } = app;
    const endpoint = await startEndpoint();
    const guide = readFileSync('docs/guides/catch-up-after-an-outage.md', 'utf8');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => `${lines}\necho`);
    const env = {
      ...process.env,
      BASE_URL: app.baseUrl,
      ORG_ID: team.org_id,
      TEAM_ID: team.id,
      MANAGEMENT_KEY: team.management_key,
      WEBHOOK_ID: await subscribe(team, endpoint),
    };
    const { stdout } = await promisify(execFile)('sh', ['-ec', commands.join('\n')], { env });
    const answers = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const replay = { kind: 'replay', event_types: ['labtest.order.*'], per_second: 50 };
    expect(answers).toMatchObject([
      { kind: 'recover', status: 'queued', per_second: 100 },
      { ...replay, status: 'queued' },
      { data: [{ ...replay, status: 'queued' }] },
      { ...replay, status: 'cancelled' },
    ]);
    await endpoint.close();
  },
);
