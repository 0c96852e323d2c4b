// Several processes of the program share one PostgreSQL, as in production.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBroker } from './broker.ts';
import { orderKit, readOrder, subscribe } from './factories.ts';
import { etlPath, etlPipeline } from './pipelines.ts';
import { endPrograms, makeDatabase, serve, teamAt, type Program } from './program.ts';
import { startEndpoint } from './endpoint.ts';
import { serveHere, type Served } from './serve-here.ts';

let database: pg.Client;
let a: Program;
let b: Served;
let worker: Program;
let url: string;
beforeAll(async () => {
  url = await makeDatabase();
  database = new pg.Client({ connectionString: url });
  await database.connect();
  const env = { DATABASE_URL: url };
  a = await serve({ args: ['api'], env });
  worker = await serve({ args: ['worker'], env, dataDir: a.dataDir });
  b = await serveHere({ role: 'api', env: { ...env, PHIAL_LOG_LEVEL: 'info' }, dataDir: a.dataDir });
});
afterAll(async () => {
  await database.end();
  await b.stop();
  await endPrograms();
});

/** A new key of the team, used at B so that B has it in its cache. */
async function makeKnownKey(): Promise<{ id: string; callB: () => Promise<number> }> {
  const made = await teamAt(a).api<{ id: string; value: string }>('POST', keysPath(), {
    label: 'to be revoked',
    team_id: teamAt(a).id,
  });
  const callB = async (): Promise<number> =>
    (await teamAt(b).api('GET', '/v2/user', undefined, { key: made.body.value })).status;
  expect([await callB(), await callB()]).toEqual([200, 200]);
  return { id: made.body.id, callB };
}

const keysPath = (): string => `/v1/org/${teamAt(a).org_id}/team_api_keys/sandbox/us`;
const revokeAtA = async (id: string): Promise<void> => {
  const answer = await teamAt(a).api<{ success: string[] }>('DELETE', `${keysPath()}?api_key_id=${id}`);
  expect(answer.body.success).toEqual([id]);
};

/** Resolves when all listening connections are gone from the servers. */
const cutListeners = (): Promise<unknown> =>
  database.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where application_name = 'phial listener' and datname = current_database()`,
  );

test('another worker replaces a killed one at once, not when its leases of endpoints and pipelines end', async () => {
  const [endpoint, broker] = [await startEndpoint(), await startBroker()];
  const team = teamAt(a);
  const bodies = (): string[] => broker.received.map(({ body }) => body);
  const sends = (one: Program): boolean => one.output().includes(webhook);
  let webhook = '';
  try {
    webhook = await subscribe(team, endpoint);
    await team.api('POST', etlPath(team), etlPipeline([team.id], broker.uri));
    await orderKit(team);
    await broker.receives(2);
    await expect.poll(() => endpoint.received.length, { timeout: 10_000 }).toBe(2);
    await expect.poll(() => sends(worker)).toBe(true);
    const heir = await serve({ args: ['worker'], env: { DATABASE_URL: url }, dataDir: a.dataDir });
    broker.behave('silent');
    await orderKit(team);
    await broker.receives(3);
    await expect.poll(() => endpoint.received.length, { timeout: 10_000 }).toBe(4);
    await expect.poll(async () => (await database.query('select from deliveries')).rows.length).toBe(0);
    const { rows: before } = await database.query<{ owner: string; queue: string; pipeline: string }>(
      `select owner, wake_at::text as queue, lease_until::text as pipeline from endpoint_queues, etl_pipelines
        where webhook_id = '${webhook}'`,
    );
    await worker.kill('SIGKILL');
    worker = heir;
    const published = broker.received.length;
    broker.behave('confirm');
    await orderKit(team);
    const inTime = async (lease: 'queue' | 'pipeline'): Promise<unknown> =>
      (await database.query('select now() < $1 as in_time', [before[0]?.[lease]])).rows[0];
    const continues = async (): Promise<unknown> => {
      await expect.poll(() => new Set(bodies()).size).toBe(6);
      return inTime('pipeline');
    };
    const delivers = async (): Promise<unknown> => {
      await expect.poll(() => endpoint.received.length, { timeout: 10_000 }).toBe(6);
      return inTime('queue');
    };
    expect(await Promise.all([continues(), delivers()])).toEqual([{ in_time: true }, { in_time: true }]);

    // The pipeline continues after the last confirmed event.
    expect(bodies()[published]).toBe(bodies()[2]);
    const feed = await team.api<{ data: { body: object }[] }>('GET', '/v2/events');
    expect([...new Set(bodies())].map((body) => JSON.parse(body) as unknown)).toEqual(
      feed.body.data.map(({ body }) => body),
    );
    await expect.poll(() => sends(heir)).toBe(true);
    const { rows } = await database.query(
      `select owner <> $1 as succeeded from endpoint_queues where webhook_id = '${webhook}'`,
      [before[0]?.owner],
    );
    expect(rows).toEqual([{ succeeded: true }]);
    await expect
      .poll(async () => (await database.query('select from delivery_workers')).rows.length, { timeout: 10_000 })
      .toBe(1);
    await team.api('DELETE', `${etlPath(team)}?team_id=${team.id}`);
  } finally {
    await endpoint.close();
    await broker.close();
  }
});

test('a key revoked through one process is refused by the other on the next request', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id, callB } = await makeKnownKey();
    await revokeAtA(id);
    expect(await callB()).toBe(401);
  }
});

test('also right after the other process lost the connection that receives revocations', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id, callB } = await makeKnownKey();
    await cutListeners();
    await revokeAtA(id);
    expect(await callB()).toBe(401);
  }
});

test('and when the key was used between the cut and the revocation', async () => {
  const { id, callB } = await makeKnownKey();
  await cutListeners();
  expect([await callB(), await callB()]).toEqual([200, 200]);
  await revokeAtA(id);
  expect(await callB()).toBe(401);
});

test('one process reads what the other wrote, and the worker, which serves nothing, delivers it', async () => {
  const endpoint = await startEndpoint();
  try {
    await subscribe(teamAt(a), endpoint);
    const order = await orderKit(teamAt(a));
    expect(await readOrder(teamAt(b), order.id)).toMatchObject({ id: order.id, events: order.events });
    await expect.poll(() => endpoint.received.length, { timeout: 5000 }).toBe(2);
    await expect.poll(worker.output).toMatch(/delivery attempt/);
    for (const api of [a, b]) expect(api.output()).not.toMatch(/delivery attempt/);
    await expect(fetch(worker.baseUrl)).rejects.toThrow();
  } finally {
    await endpoint.close();
  }
});
