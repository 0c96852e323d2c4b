// Counts the pages of tables and indexes that statements of this folder read in large tables. It does so with three
// kinds of plans: cached while the tables were empty, made without statistics, and made with fresh statistics. A count
// of rows would not show the scan of a whole index.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { makeUser, subscribe } from '../../test/factories.ts';
import { query } from '../../test/global-setup.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import type { TeamCtx } from '../context.ts';
import { openDatabase, type Database } from '../db/open-database.ts';
import { newId } from '../ids.ts';
import { forTeam } from '../tenancy/teams/team-scope.ts';
import { findEvent } from './attempts/find-event.ts';
import { findAttempt } from './attempts/find.ts';
import { listAttemptsOfEvent } from './attempts/list-of-event.ts';
import { listAttempts } from './attempts/list.ts';
import { readPage } from './feed/read-page.ts';
import { findMetrics } from './metrics/find.ts';

const DAYS = 8;
const EVENTS = 60_000;
/** The number of failed attempts of one event, with ids of yesterday. */
const FAILED = 100_000;
const WAITING = 30_000;
const USERS = 5_000;
/** A full scan of a table or index reads hundreds of pages. A day without matching rows costs two or three. */
const MAX_PAGES = 600;

let app: TestApp;
let team: Team;
let webhook: string;
let event: string;
let attempt: string;
let tables: string[];

const asOwner = <Row>(text: string) => query<Row>(app.databaseUrl, text);
const onOneConnection = (): Database => {
  const database = openDatabase({ url: app.databaseUrl, poolSize: 1, role: 'phial_app', log: app.ctx.log });
  database.pool.options.idleTimeoutMillis = 0;
  return database;
};

const MADE = [
  'when the tables were new',
  'when they were known to be empty',
  'without statistics',
  'with fresh statistics',
] as const;
const connections = {} as Record<(typeof MADE)[number], Database>;

beforeAll(async () => {
  app = await startTestApp();
  team = app.team;
  const endpoint = await startEndpoint({ invented: true });
  webhook = await subscribe(team, endpoint);
  await endpoint.close();
  await asOwner(`select ensure_partitions(current_date - ${DAYS}, current_date)`);
  const found = await asOwner<{ name: string }>(`
    select relname as name from pg_class
     where relkind = 'r' and relname ~ '^(events|attempts|users|webhooks|deliveries|retries|deferred_deliveries|deferred_events|delivery_tallies)'`);
  tables = found.map(({ name }) => name);
  for (const table of tables) await asOwner(`alter table ${table} set (autovacuum_enabled = false)`);
  await fillWithOne();
  connections['when the tables were new'] = await openWithCachedPlans();
  await asOwner(`vacuum analyze ${tables.join()}`);
  connections['when they were known to be empty'] = await openWithCachedPlans();
  await fill();
  connections['without statistics'] = onOneConnection();
  connections['with fresh statistics'] = onOneConnection();
}, 120_000);
afterAll(async () => {
  for (const database of Object.values(connections)) await database.close();
  await app.close();
});

async function openWithCachedPlans(): Promise<Database> {
  const database = onOneConnection();
  for (const { work } of STATEMENTS) await work(ctxOn(database));
  return database;
}

const ctxOn = ({ db }: Database): TeamCtx =>
  forTeam({ ...app.ctx, db }, { id: team.id, org_id: team.org_id, settings: {} });

/** Inserts one event with one attempt. Some statements run only if an earlier statement has found these rows. */
async function fillWithOne(): Promise<void> {
  const { user_id } = await makeUser(team);
  [event, attempt] = [newId(), newId()];
  await asOwner(`
    insert into events (team_id, id, event_type, user_id, body, position)
      values ('${team.id}', '${event}', 'daily.data.steps.created', '${user_id}', '', 1);
    insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, duration_ms)
      values ('${team.id}', '${attempt}', '${webhook}', '${event}', 1, 'failed', 1)`);
}

/**
 * Inserts many users, events of all days with an attempt each at the endpoint, waiting deliveries, and deferred
 * deliveries.
 */
async function fill(): Promise<void> {
  const idOf = (n: string): string =>
    `(left(uuid_v7_floor(current_date - ${n} % ${DAYS})::text, 15) || '7' || right(gen_random_uuid()::text, 20))::uuid`;
  await asOwner(`
    set session_replication_role = replica;
    insert into users (id, team_id, client_user_id) select gen_random_uuid(), '${team.id}', n
        from generate_series(1, ${USERS}) as n;
    insert into events (team_id, id, event_type, user_id, body, position)
      select '${team.id}', ${idOf('n')}, 'daily.data.steps.created', (select id from users
          where team_id = '${team.id}' limit 1), '',
             1000 + n / 10 from generate_series(1, ${EVENTS}) as n;
    insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, duration_ms)
      select team_id, id, '${webhook}', id, 1, case when random() < 0.1 then 'failed' else 'succeeded' end, 1
          from events;
    insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, duration_ms)
      select '${team.id}', (left(uuid_v7_floor(current_date - 1)::text, 15) || '7' || right(gen_random_uuid()::text,
          20))::uuid,
             '${webhook}', '${event}', 1, 'failed', 1 from generate_series(1, ${FAILED});
    insert into deliveries (webhook_id, event_id, team_id)
      select '${webhook}', gen_random_uuid(), '${team.id}' from generate_series(1, ${WAITING});
    insert into retries (webhook_id, event_id, team_id, attempt, due_at)
      select '${webhook}', gen_random_uuid(), '${team.id}', 1, now() + interval '1 day'
          from generate_series(1, ${WAITING});
    insert into deferred_deliveries (user_id, webhook_id, event_id, team_id, attempt)
      select gen_random_uuid(), '${webhook}', gen_random_uuid(), '${team.id}', 0 from generate_series(1, ${WAITING});
    insert into deferred_events (user_id, event_id, team_id, position)
      select gen_random_uuid(), gen_random_uuid(), '${team.id}', 1000 + n from generate_series(1, 200) as n;
    insert into delivery_tallies (team_id, webhook_id, started_at, succeeded, durations)
      select gen_random_uuid(), gen_random_uuid(), now(), 1, '{1}' from generate_series(1, ${WAITING})`);
}

const yesterday = (): string => new Date(Math.floor(Date.now() / 86_400_000 - 1) * 86_400_000 - 1).toISOString();
const filters = { status: null, event_type: null, since: null, until: null, next_cursor: null, limit: 20 };
const wanted = { most: { events: 20, bytes: 1024 * 1024 }, types: null };
const seenUpTo = (until: number, running: number[] = []) => ({
  seen: { until, running },
  reading: null,
  from: Date.now() / 1000,
});

const STATEMENTS: { title: string; work: (ctx: TeamCtx) => Promise<unknown> }[] = [
  { title: 'attempts at an endpoint', work: (ctx) => listAttempts(ctx, webhook, filters) },
  { title: 'those that failed', work: (ctx) => listAttempts(ctx, webhook, { ...filters, status: ['failed'] }) },
  {
    title: 'those that were given up',
    work: (ctx) => listAttempts(ctx, webhook, { ...filters, status: ['exhausted'] }),
  },
  {
    title: 'those that failed or were given up',
    work: (ctx) => listAttempts(ctx, webhook, { ...filters, status: ['failed', 'exhausted'] }),
  },
  {
    title: 'those that failed before yesterday',
    work: (ctx) => listAttempts(ctx, webhook, { ...filters, status: ['failed'], until: yesterday() }),
  },
  { title: 'attempts of an event', work: (ctx) => listAttemptsOfEvent(ctx, event, filters) },
  { title: 'one attempt', work: (ctx) => findAttempt(ctx, webhook, attempt) },
  { title: 'one event', work: (ctx) => findEvent(ctx, event) },
  { title: 'the beginning of the feed', work: (ctx) => readPage(ctx, seenUpTo(0), wanted) },
  { title: 'the feed from somewhere', work: (ctx) => readPage(ctx, seenUpTo(6_900), wanted) },
  {
    title: 'the feed after transactions that ran',
    work: (ctx) => readPage(ctx, seenUpTo(6_990, [1_500, 6_980, 6_985]), wanted),
  },
  { title: 'the feed since yesterday', work: (ctx) => readPage(ctx, { since: Date.parse(yesterday()) }, wanted) },
  { title: 'the end of the feed', work: (ctx) => readPage(ctx, seenUpTo(2 ** 40), wanted) },
  { title: 'figures of an endpoint', work: (ctx) => findMetrics(ctx, webhook, { interval: '1h' }) },
];

async function pagesRead(database: Database, work: (ctx: TeamCtx) => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`.execute(database.db);
    await sql`select pg_stat_clear_snapshot()`.execute(database.db);
    const { rows } = await sql<{ pages: number }>`
      select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::float8 as pages
          from pg_statio_user_tables
       where relname = any (${tables})`.execute(database.db);
    return rows[0]?.pages ?? NaN;
  };
  const before = await count();
  await work(ctxOn(database));
  return (await count()) - before;
}

describe.each(MADE)('with plans made %s', (made) => {
  beforeAll(async () => {
    if (made === 'with fresh statistics') await asOwner(`vacuum analyze ${tables.join()}`);
  });

  test.each(STATEMENTS)('the read of $title reads no other rows', async ({ work }) => {
    const pages = await pagesRead(connections[made], work);
    expect(pages).toBeLessThan(MAX_PAGES);
  });

  test('each statement is planned once, however often it runs', async () => {
    const { db } = connections[made];
    for (let times = 0; times < 3; times += 1) for (const { work } of STATEMENTS) await work(ctxOn(connections[made]));
    const { rows } = await sql<{ statement: string; anew: number; generic: number }>`
      select statement, custom_plans::integer as anew, generic_plans::integer as generic from pg_prepared_statements
       where statement ~ '(from|join) \\(*(select.*)?(events|attempts)'`.execute(db);
    expect(rows.filter(({ anew, generic }) => anew > 0 || generic < 3).map(({ statement }) => statement)).toEqual([]);
    // The statements that read events or attempts. They read attempts by endpoint and status (4), attempts of an event,
    // waiting deliveries, an event without and with its body, where the feed begins, a page of it and its bodies.
    expect(rows.length).toBe(12);
  });
});
