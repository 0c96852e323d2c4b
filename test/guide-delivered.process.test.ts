import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { registeredKit, subscribe } from './factories.ts';
import { endPrograms, makeFolder } from './program.ts';
import { startEndpoint, type Endpoint } from './endpoint.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
let endpoint: Endpoint;
beforeAll(async () => {
  app = await startTestApp();
  endpoint = await startEndpoint();
});
afterAll(async () => {
  await endpoint.close();
  await app.close();
  await endPrograms();
});

test.skipIf(!curl)(
  'the commands of the guide try an endpoint, find a failed attempt and send it ' +
    `again${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { team } = app;
    const type = 'labtest.order.created';
    const webhook = await subscribe(team, endpoint, [type]);
    endpoint.answer((response) => response.writeHead(503).end('Away until noon'));
    await registeredKit(team);
    await app.deliver();
    endpoint.answer(null);
    const guide = readFileSync('docs/guides/see-what-was-delivered.md', 'utf8');
    const given = { BASE_URL: app.baseUrl, MANAGEMENT_KEY: team.management_key, WEBHOOK_ID: webhook };
    const env = { ...process.env, ...given, ORG_ID: team.org_id, TEAM_ID: team.id };
    const cwd = makeFolder();
    const answers: unknown[][] = [];
    for (const [, command] of guide.matchAll(/```sh\n([^]*?)```/g)) {
      // The next command keeps the variables of the one before, as in a shell. In between the service delivers.
      const script = `set -a; if [ -e kept ]; then . ./kept; fi\n${command}\necho; export -p > kept`;
      const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env, cwd });
      const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
      answers.push(lines.map((line) => JSON.parse(line) as unknown));
      await app.deliver();
    }
    const [tried, order] = endpoint.received;
    expect(endpoint.received.map(({ body }) => body.event_type)).toEqual([type, type]);
    expect(tried?.body).toMatchObject({ test: true });
    const failed = { event_id: order?.id, event_type: type, attempt: 1, status: 'failed', http_status: 503 };
    expect(answers).toMatchObject([
      [],
      [{ event_id: tried?.id, event_type: type }],
      [{ event_id: tried?.id, data: [{ trigger: 'test', status: 'succeeded', http_status: 204 }], waiting: [] }],
      [{ data: [failed] }],
      [
        { ...failed, request_headers: { 'webhook-id': order?.id }, response_body: 'Away until noon' },
        { id: order?.id, event_type: type, body: order?.raw },
      ],
      [{ event_id: order?.id }],
    ]);
  },
);
