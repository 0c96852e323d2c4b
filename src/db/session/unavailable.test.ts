import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { query } from '../../../test/global-setup.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { openWay, type Way } from '../../../test/database-proxy.ts';
import { openLog } from '../../log.ts';
import { openListener } from '../listener.ts';
import { addProcessMetrics } from '../../metrics.ts';
import { openDatabase } from '../open-database.ts';
import { Deliverer } from '../../delivery/deliverer.ts';
import { openSender } from '../../delivery/sending/send.ts';
import { deploymentPolicy } from '../../outbound/deployment-policy.ts';
import { isUnavailable } from './unavailable.ts';

let home: TestApp;
let app: TestApp;
let way: Way;
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

describe('an outage', () => {
  test('logs one line, however long it lasts and however many connections it breaks', async () => {
    const lines: { level: number; msg: string }[] = [];
    const there = await openWay(home.databaseUrl);
    const log = openLog('info', { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[0]) });
    const database = openDatabase({ url: there.url, poolSize: 5, role: 'phial_app', log });
    const another = openDatabase({ url: there.url, poolSize: 5, role: 'phial_app', beside: database, log });
    await sql`select 1`.execute(another.db);
    const listener = openListener({ url: there.url, channels: {}, log });
    await listener.ready;
    await Promise.all(Array.from({ length: 5 }, () => sql`select pg_sleep(0.05)`.execute(database.db)));
    there.cut();
    await wait(800); // Enough time for three attempts of the listener to connect.
    there.mend();
    await sql`select 1`.execute(database.db);
    await expect.poll(() => lines.filter(({ msg }) => msg === 'an outage is over')).toHaveLength(2);
    expect(lines.filter(({ level }) => level >= 40).map(({ msg }) => msg)).toEqual([
      'idle database connections were lost',
      'the listening connection cannot be opened; trying again',
    ]);
    await listener.close();
    await another.close();
    await database.close();
    there.close();
  });

  test('ends for deliveries when the database answers again, not when nobody queries it', async () => {
    const lines: string[] = [];
    const there = await openWay(home.databaseUrl);
    const log = openLog('info', { write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) });
    const database = openDatabase({ url: there.url, poolSize: 2, role: 'phial_app', log: home.ctx.log });
    there.cut();
    const sender = openSender({ policy: deploymentPolicy(home.config), userAgent: 'Phial test', timeoutMs: 1_000 });
    const deliverer = new Deliverer({ ...home.ctx, db: database.db, log }, { sender, metrics: home.metrics });
    deliverer.run();
    // Webhook replays have a loop of their own, which logs an outage with a message of its own.
    const begun = () => lines.filter((line) => line.endsWith('trying again'));
    await expect.poll(begun).toContain('due deliveries cannot be read; trying again');
    deliverer.hear('');
    await expect.poll(there.refused, { timeout: 10_000 }).toBeGreaterThanOrEqual(4);
    expect(lines).toEqual([...new Set(begun())]);
    there.mend();
    await expect.poll(() => lines.filter((line) => line === 'an outage is over').length).toBe(begun().length);
    await deliverer.stop(0);
    await database.close();
    there.close();
  });

  test('lets /metrics answer, with its own figures and no address', async () => {
    const read = async (): Promise<string> => (await fetch(`${app.baseUrl}/metrics`)).text();
    addProcessMetrics(app.metrics);
    expect(await read()).toContain('phial_database_up 1');
    way.cut();
    const text = await read();
    way.mend();
    expect(text).toContain('phial_database_up 0');
    expect(text).toMatch(/^phial_webhook_deliveries_waiting nan$/im);
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).not.toContain('127.0.0.1');
    await expect.poll(read).toContain('phial_database_up 1');
  });

  test('by a full disk makes the process not ready, with a reason', async () => {
    const full = sql`do $$ begin raise exception 'no space' using errcode = '53100'; end $$`.execute(app.db);
    await expect(full).rejects.toThrow();
    const response = await app.api<{ code: string; detail: string }>('GET', '/readyz', undefined, { key: null });
    expect([response.status, response.body.detail]).toEqual([503, 'The disk of the database has no space left.']);
  });

  test('by a full disk answers a write with the reason', async () => {
    const own = await startTestApp();
    await query(
      own.databaseUrl,
      `create function no_space() returns trigger language plpgsql
         as $$ begin raise exception 'no space' using errcode = '53100'; end $$;
       create trigger no_space before insert on users for each row execute function no_space()`,
    );
    const { status, body } = await own.api<{ code: string; detail: string }>('POST', '/v2/user', {
      client_user_id: 'nobody',
    });
    await own.close();
    expect([status, body.code, body.detail]).toEqual([
      503,
      'not_ready',
      'The disk of the database has no space left. Try again once there is some.',
    ]);
  });

  test('by a full disk has its own words in the log', async () => {
    const lines: string[] = [];
    const logTo = (line: string): void => void lines.push((JSON.parse(line) as { msg: string }).msg);
    const own = await startTestApp({ PHIAL_LOG_LEVEL: 'error' }, { logTo });
    await query(
      own.databaseUrl,
      `create function no_space() returns trigger language plpgsql
         as $$ begin raise exception 'no space' using errcode = '53100'; end $$;
       create trigger no_space before insert on audit_log for each row execute function no_space()`,
    );
    await own.api('GET', '/v2/user');
    await own.flushAudit();
    expect(lines).toEqual(['audit lines wait for the database: its disk is full']);
    await query(own.databaseUrl, 'drop trigger no_space on audit_log');
    await own.close();
  });

  test('of a network that drops packets ends a statement from our side', async () => {
    const there = await openWay(home.databaseUrl);
    const limits = { statementMs: 500, silenceMs: 100, lockMs: 500, idleMs: 500, waitMs: 500 };
    const database = openDatabase({ url: there.url, poolSize: 1, role: 'phial_app', limits, log: home.ctx.log });
    await sql`select 1`.execute(database.db);
    there.swallow();
    const error = await sql`select 1`.execute(database.db).catch((failure: unknown) => failure);
    expect([(error as Error).message, isUnavailable(error)]).toEqual(['Query read timeout', true]);
    expect(database.pool.totalCount).toBe(0);
    there.close();
    await database.close();
  });
});

describe('a request', () => {
  test('while the database is away gets 503, and 200 as soon as it is back', async () => {
    expect((await list()).status).toBe(200);
    way.cut();
    const away = await list();
    expect([away.status, away.body.code, away.headers.get('retry-after')]).toEqual([503, 'not_ready', '1']);
    way.mend();
    await expect.poll(async () => (await list()).status).toBe(200);
  });

  test('for which no connection is free in time gets 503', async () => {
    expect(home.config.databaseLimits.waitMs).toBe(5_000);
    const tight = await startTestApp({}, { databaseUrl: home.databaseUrl, poolSize: 1, poolWaitMs: 200 });
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    await new Promise<void>((resolve) => {
      void tight.db.transaction().execute(async (tx) => {
        await sql`select 1`.execute(tx);
        resolve();
        await until;
      });
    });
    const response = await tight.api<{ code: string }>('GET', '/v2/user');
    expect([response.status, response.body.code]).toEqual([503, 'not_ready']);
    release();
    await expect.poll(async () => (await tight.api('GET', '/v2/user')).status).toBe(200);
    await tight.close();
  });

  test('whose statement is cancelled gets 503', async () => {
    const client = new pg.Client({ connectionString: home.databaseUrl });
    await client.connect();
    await client.query('begin; lock table users in access exclusive mode');
    const response = list();
    await untilBlocked(home.db);
    await client.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    expect([(await response).status, (await response).body.code]).toEqual([503, 'not_ready']);
    await client.query('rollback');
    await client.end();
  });
});

test('every statement of the service has a limit', async () => {
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

  test('by the words of a pool without a free connection', () => {
    expect(isUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true);
  });

  test.each(['23505', '42501', '22P02', 'FST_ERR_VALIDATION', ''])('not by the code %j', (code) => {
    expect(isUnavailable(Object.assign(new Error('x'), { code }))).toBe(false);
  });
});
