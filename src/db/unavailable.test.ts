import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { isUnavailable } from './unavailable.ts';

/** A way to the database that can be cut and mended. */
async function openWay(url: string): Promise<{ url: string; cut: () => void; mend: () => void; close: () => void }> {
  const target = new URL(url);
  const [port, host] = [Number(target.port), target.hostname];
  const sockets = new Set<Socket>();
  let open = true;
  const server: Server = createServer((near) => {
    if (!open) return void near.destroy();
    const far = connect(port, host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  target.port = String((server.address() as AddressInfo).port);
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: target.href,
    cut: () => {
      open = false;
      destroyAll();
    },
    mend: () => {
      open = true;
    },
    close: () => {
      destroyAll();
      server.close();
    },
  };
}

let home: TestApp;
let app: TestApp;
let way: Awaited<ReturnType<typeof openWay>>;
beforeAll(async () => {
  home = await startTestApp();
  way = await openWay(home.databaseUrl);
  app = await startTestApp({}, { databaseUrl: way.url });
});
afterAll(async () => {
  way.mend();
  await app.close();
  way.close();
  await home.close();
});

const list = () => app.api<{ code: string }>('GET', '/v2/user');

describe('a request', () => {
  test('while the database is away is answered with 503, and with 200 as soon as it is back', async () => {
    expect((await list()).status).toBe(200);
    way.cut();
    const away = await list();
    expect([away.status, away.body.code]).toEqual([503, 'not_ready']);
    way.mend();
    await expect.poll(async () => (await list()).status).toBe(200);
  });

  test('whose statement is cancelled is answered with 503', async () => {
    const client = new pg.Client({ connectionString: home.databaseUrl });
    await client.connect();
    await client.query('begin; lock table users in access exclusive mode');
    const answer = list();
    await untilBlocked(home.db);
    await client.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    expect([(await answer).status, (await answer).body.code]).toEqual([503, 'not_ready']);
    await client.query('rollback');
    await client.end();
  });
});

test('no statement of the service is without a limit', async () => {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
     where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`.execute(home.db);
  expect(rows).toHaveLength(3);
  expect(rows.filter(({ setting }) => Number(setting) <= 0)).toEqual([]);
});

describe('the database counts as unavailable', () => {
  test.each(['57014', '57P01', '55P03', '53300', '53100', '08006', 'ECONNREFUSED'])('by the code %s', (code) => {
    expect(isUnavailable(Object.assign(new Error('x'), { code }))).toBe(true);
  });

  test('by the words of a pool whose connections are used up', () => {
    expect(isUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true);
  });

  test.each(['23505', '42501', '22P02', 'FST_ERR_VALIDATION', ''])('not by the code %j', (code) => {
    expect(isUnavailable(Object.assign(new Error('x'), { code }))).toBe(false);
  });
});
