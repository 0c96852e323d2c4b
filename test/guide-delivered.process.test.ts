import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import { registeredKit, subscribe } from './factories.ts';
import { endPrograms, makeFolder } from './program.ts';
import { startReceiver, type Receiver } from './receiver.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  app = await startTestApp();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await app.close();
  await endPrograms();
});

test.skipIf(!curl)(
  `the commands of the guide try an endpoint, find what failed there and send it again${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { team } = app;
    const type = 'labtest.order.created';
    const webhook = await subscribe(team, receiver, [type]);
    receiver.answer((response) => response.writeHead(503).end('Away until noon'));
    await registeredKit(team);
    await app.deliver();
    receiver.answer(null);
    const guide = readFileSync('docs/guides/see-what-was-delivered.md', 'utf8');
    const given = { BASE_URL: app.baseUrl, MANAGEMENT_KEY: team.management_key, WEBHOOK_ID: webhook };
    const env = { ...process.env, ...given, ORG_ID: team.org_id, TEAM_ID: team.id };
    const cwd = makeFolder();
    const answers: unknown[][] = [];
    for (const [, command] of guide.matchAll(/```sh\n([^]*?)```/g)) {
      // What one command keeps the next one knows, as in a shell; in between the service delivers.
      const kept = `set -a; if [ -e kept ]; then . ./kept; fi\n${command}\necho; export -p > kept`;
      const { stdout } = await promisify(execFile)('sh', ['-ec', kept], { env, cwd });
      const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
      answers.push(lines.map((line) => JSON.parse(line) as unknown));
      await app.deliver();
    }
    const [tried, order] = receiver.received;
    expect(receiver.received.map(({ body }) => body.event_type)).toEqual([type, type]);
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
