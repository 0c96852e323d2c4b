import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isAlive } from '@phial/embedded-postgres/process-state';
import { findFreePort } from '../bench/free-port.ts';
import { startBroker } from './broker.ts';
import { orderKit, subscribe } from './factories.ts';
import { etlPath, etlPipeline } from './pipelines.ts';
import {
  endPrograms,
  isReady,
  makeDatabase,
  postgresIsGone,
  postmasterPid,
  readCredentials,
  serve,
  servingPid,
  surroundings,
  teamAt,
  type Program,
} from './program.ts';
import { startEndpoint, type Endpoint } from './endpoint.ts';
import { copyReadyDataDir } from './ready-data-dir.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterEach(() => {
  endpoint.received.length = 0;
  endpoint.answer(null);
});
afterAll(async () => {
  await endPrograms();
  await endpoint.close();
});

const BODY = JSON.stringify({ client_user_id: 'slow-sender' });

/** A request of which the program has the headers and half of the body. */
async function beginRequest(program: Program): Promise<{ finish: () => Promise<string> }> {
  const socket: Socket = connect(program.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  socket.write(
    `POST /v2/user HTTP/1.1\r\nhost: localhost\r\nx-service-api-key: ` +
      `${readCredentials(program.dataDir).team_api_key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${BODY.length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  await expect.poll(() => answer).toMatch(/^HTTP\/1.1 100/);
  socket.write(BODY.slice(0, 10));
  return {
    finish: async () => {
      socket.write(BODY.slice(10));
      await closed;
      return answer;
    },
  };
}

async function rows<R>(url: string, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as R[];
  } finally {
    await client.end();
  }
}

/** A program with its own PostgreSQL, which the first test leaves to the second. */
let restarted: Program | null = null;

test('Ctrl-C lets a running request finish, also when it is pressed again, and shuts PostgreSQL down', async () => {
  const dataDir = await copyReadyDataDir();
  const program = await serve({ by: 'npm', dataDir, env: { PHIAL_DRAIN_SECONDS: '25' } });
  const unused = connect(program.port, '127.0.0.1');
  const postmaster = postmasterPid(program.dataDir);
  const request = await beginRequest(program);
  program.interrupt();
  await expect.poll(program.output).toMatch(/"stopping"/);
  await expect(fetch(program.baseUrl)).rejects.toThrow();
  program.interrupt();
  const answer = await request.finish();
  const finishedAt = Date.now();
  expect(answer).toMatch(/\r\nHTTP\/1.1 200 .*"client_user_id":"slow-sender"/s);
  expect(await program.ended).toEqual({ code: 0, signal: null });
  // The stop does not wait for open but unused connections.
  expect(Date.now() - finishedAt).toBeLessThan(10_000);
  unused.destroy();
  expect(isAlive(postmaster)).toBe(false);
  expect(postgresIsGone(program.dataDir)).toBe(true);
  const next = await serve({ dataDir: program.dataDir });
  expect((await teamAt(next).api('GET', '/v2/user/resolve/slow-sender')).status).toBe(200);
  restarted = next;
});

test('the log of a clean stop mentions no lost connection', async () => {
  const program = restarted ?? (await serve({ dataDir: await copyReadyDataDir() }));
  const team = teamAt(program);
  // As many connections as the pool has, all idle when the stop begins.
  await Promise.all(Array.from({ length: 30 }, () => team.api('GET', '/v2/user')));
  expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  const log = program.output().match(/^\{"level".*$/gm) ?? [];
  expect(log.filter((line) => !line.startsWith('{"level":30'))).toEqual([]);
});

/** With a drain of one second and nothing to do, from the first of these tests for the second. */
let deliveredAll: Program | null = null;

test('deliveries to a hanging endpoint are released at the stop, and the next start makes them at once', async () => {
  const url = await makeDatabase();
  const env = { DATABASE_URL: url, PHIAL_DRAIN_SECONDS: '1', PHIAL_WEBHOOK_TIMEOUT_SECONDS: '60' };
  endpoint.answer(() => undefined);
  const program = await serve({ env });
  await subscribe(teamAt(program), endpoint);
  await orderKit(teamAt(program));
  await expect.poll(endpoint.requests).toBe(2);
  const leased =
    'select owner is not null as leased, wake_at <= now() as due from deliveries join endpoint_queues using ' +
    '(webhook_id)';
  expect(await rows(url, leased)).toEqual(Array(2).fill({ leased: true, due: false }));
  expect(await program.kill('SIGINT')).toEqual({ code: 0, signal: null });
  expect(await rows(url, leased)).toEqual(Array(2).fill({ leased: false, due: true }));

  endpoint.answer(null);
  const next = await serve({ env, dataDir: program.dataDir });
  await expect.poll(() => endpoint.received.length, { timeout: 5000 }).toBe(2);
  deliveredAll = next;
});

test('a request that does not end is cut when the drain is over', async () => {
  const program =
    deliveredAll ?? (await serve({ env: { DATABASE_URL: await makeDatabase(), PHIAL_DRAIN_SECONDS: '1' } }));
  await beginRequest(program);
  const before = Date.now();
  expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(Date.now() - before).toBeGreaterThan(900);
  expect(Date.now() - before).toBeLessThan(5000);
});

test('a long job leaves running deliveries their drain and their worker: they are released beside it', async () => {
  const url = await makeDatabase();
  const env = { DATABASE_URL: url, PHIAL_DRAIN_SECONDS: '1', PHIAL_WEBHOOK_TIMEOUT_SECONDS: '60' };
  endpoint.answer(() => undefined);
  const program = await serve({ env });
  const team = teamAt(program);
  await subscribe(team, endpoint);
  const before = endpoint.requests();
  await orderKit(team);
  await expect.poll(endpoint.requests).toBe(before + 2);
  const elsewhere = new pg.Client({ connectionString: url });
  await elsewhere.connect();
  try {
    const { rows: users } = await elsewhere.query<{ id: string }>(
      `update users set deleted_at = now() - interval '8 days' returning id`,
    );
    await elsewhere.query('begin');
    await elsewhere.query('select from users where id = $1 for update', [users[0]?.id]);
    await rows(url, `select graphile_worker.add_job('erase_deleted_users', '{}'::json)`);
    const blocked = 'select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0';
    await expect.poll(() => rows(url, blocked), { timeout: 10_000 }).toHaveLength(1);
    const ended = program.kill('SIGTERM');
    const leased = 'select from deliveries join endpoint_queues using (webhook_id) where owner is not null';
    await expect.poll(() => rows(url, leased), { timeout: 6000 }).toEqual([]);
    expect(await rows(url, blocked)).toHaveLength(1);
    await elsewhere.query('rollback');
    expect(await ended).toEqual({ code: 0, signal: null });
    // The erasure that had begun made no further step.
    expect(await rows(url, `select from users where id = '${users[0]?.id}'`)).toHaveLength(1);
  } finally {
    await elsewhere.end();
  }
});

test('a broker that confirms nothing delays the stop at most until the drain ends', async () => {
  const url = await makeDatabase();
  const broker = await startBroker();
  broker.behave('silent');
  const pending: (() => void)[] = [];
  endpoint.answer((response) => {
    pending.push(() => response.writeHead(200).end());
  });
  const program = await serve({ env: { DATABASE_URL: url, PHIAL_DRAIN_SECONDS: '4' } });
  const team = teamAt(program);
  try {
    await team.api('POST', etlPath(team), etlPipeline([team.id], broker.uri));
    await subscribe(team, endpoint);
    await orderKit(team);
    await expect.poll(() => pending.length, { timeout: 5000 }).toBe(2);
    await broker.receives(2);
    const ended = program.kill('SIGTERM');
    // By then everything that delays nobody has stopped.
    await wait(2000);
    for (const answer of pending) answer();
    expect(await ended).toEqual({ code: 0, signal: null });
    // Neither was cut, and the pipeline counts no failure and has no worker.
    expect(await rows(url, 'select from deliveries')).toEqual([]);
    expect(await rows(url, 'select failures, last_error, lease_id from etl_pipelines')).toEqual([
      { failures: 0, last_error: null, lease_id: null },
    ]);
  } finally {
    await broker.close();
  }
});

// Elsewhere script takes other arguments.
test.skipIf(process.platform !== 'linux')('closing its terminal ends the program and PostgreSQL (Linux)', async () => {
  const dataDir = await copyReadyDataDir();
  const port = await findFreePort();
  const terminal = spawn('script', ['--quiet', '--command', `"${process.execPath}" bin/start.mjs`, '/dev/null'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...surroundings(), PORT: String(port), PHIAL_DATA_DIR: dataDir },
  });
  await expect.poll(() => isReady(`http://localhost:${port}`), { timeout: 25_000 }).toBe(true);
  const [program, postmaster] = [await servingPid(dataDir), postmasterPid(dataDir)];
  terminal.kill('SIGKILL');
  await expect.poll(() => [isAlive(program), isAlive(postmaster)], { timeout: 20_000 }).toEqual([false, false]);
});
