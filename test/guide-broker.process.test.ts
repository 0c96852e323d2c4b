import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startStreaming, type Streaming } from '../src/pipelines/etl/streaming/start-streaming.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { startBroker, type Broker } from './broker.ts';
import { registeredKit } from './factories.ts';
import { endPrograms, makeDatabase } from './program.ts';
import { publishedTo } from './publish-event.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let databaseUrl: string;
let app: TestApp;
let broker: Broker;
let streaming: Streaming | null = null;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
  app = await startTestApp({}, { databaseUrl });
  broker = await startBroker();
});
afterEach(() => streaming?.stop(10_000));
afterAll(async () => {
  await broker.close();
  await app.close();
  await endPrograms();
});

const guide = readFileSync('docs/guides/stream-to-rabbitmq.md', 'utf8');

test.skipIf(!curl)(
  'the commands of the guide to RabbitMQ stream events, show the configuration and end ' +
    `it${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { team } = app;
    const env = {
      ...process.env,
      BASE_URL: app.baseUrl,
      ORG_ID: team.org_id,
      TEAM_ID: team.id,
      MANAGEMENT_KEY: team.management_key,
      BROKER: broker.uri,
    };
    const [configure, ...show] = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => lines ?? '');
    const run = async (commands: string): Promise<unknown[]> => {
      // Prints each answer on its own line.
      const each = commands.replaceAll('curl -s ', "curl -s -w '\\n' ");
      const { stdout } = await promisify(execFile)('sh', ['-ec', each], { env });
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    };
    const masked = broker.uri.replace('of%20broker', '********');
    const pipeline = { team_id: team.id, rabbitmq: { uri: masked, exchange: 'health' } };
    expect(await run(configure ?? '')).toMatchObject([[pipeline]]);
    await registeredKit(team);
    const published = await publishedTo(app, team);
    streaming = startStreaming(app.ctx);
    const received = await broker.receives(published.length);
    expect(received.map(({ exchange, routing_key, body }) => ({ exchange, routing_key, body }))).toEqual(
      published.map(({ event_type, body }) => ({ exchange: 'health', routing_key: event_type, body })),
    );
    expect(received[0]?.headers.includes(published[0]?.id ?? '?')).toBe(true);
    expect(await run(show.join('\n'))).toMatchObject([{ pipelines: [pipeline] }, [pipeline]]);
    const list = `/v1/org/${team.org_id}/team_etl_pipelines/sandbox/us`;
    expect((await team.api<object>('GET', list)).body).toMatchObject({ pipelines: [] });
  },
);

test('the command of the guide for the operator opens the beta to a team', async () => {
  const [, command = ''] = /\n {4}(node bin\/phial\.mjs .*)\n/.exec(guide) ?? [];
  const words = command.replace('--org ID', `--org ${app.team.org_id}`).replace('--team ID', `--team ${app.team.id}`);
  const env = { ...process.env, DATABASE_URL: databaseUrl, PHIAL_LOG_LEVEL: 'silent' };
  const { stdout } = await promisify(execFile)('sh', ['-ec', words], { env });
  expect(stdout).toContain('etl_pipelines');
});
