// Counts the rows that the statements of this folder read in large tables. It does so with three kinds of plans:
// cached while the tables were empty, made without statistics, and made with fresh statistics.
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { steps } from '../../test/invented-events.ts';
import { subscribe } from '../../test/factories.ts';
import { outcomeOf } from '../../test/send-outcome.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';
import type { Ctx } from '../context.ts';
import { acrossTeams, boundToTeam } from '../db/session/bind.ts';
import { openDatabase, type Database, type Db } from '../db/open-database.ts';
import { inTransaction } from '../db/transaction.ts';
import { publishEvents } from '../events/publish.ts';
import { newId } from '../ids.ts';
import { Deliverer } from './deliverer.ts';
import { BEGINNING, findEndpointsWithDeliveries, sweepOrphans } from './queues/discover.ts';
import { EndpointCache } from './endpoint-cache.ts';
import { deferDeliveries, sendDeferredDeliveries } from './defer-deliveries.ts';
import {
  leaseQueues,
  leaseDueQueues,
  releaseQueues,
  renewQueues,
  wakeQueues,
  type Lease,
} from './queues/queue-leases.ts';
import { loadEvents } from './load-events.ts';
import { measureQueue } from './queues/queue-depth.ts';
import { readQueue, stillQueued } from './queues/read-queue.ts';
import { wakeQueuesOfDeadWorkers } from './queues/delivery-worker.ts';
import { requeueDelivery } from './requeue.ts';
import { openSender } from './sending/send.ts';
import { dropDeliveries, recordOutcomes, type EndedDelivery } from './record-outcomes.ts';
import { deploymentPolicy } from '../outbound/deployment-policy.ts';

const PAUSED = 50_000;
const NOT_DUE = 50_000;
const TEAMS = 500;
const ENDPOINTS_EACH = 20;
/** The number of endpoint queues that one measured statement handles. */
const AT_ONCE = 100;

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
let webhook: string;
/** Each has only one connection, because every connection caches plans of its own. So we measure the cached plan. */
type Connections = { worker: Database; api: Database };
let worker: Database;
let api: Database;
let ctx: Ctx;
/** Ids of endpoints of other teams. Each of these teams has several endpoints. */
let endpoints: string[] = [];
/** The ids of the events in the table. */
let stored: string[] = [];
const paused = newId();
const failing = newId();

const onOneConnection = (plans: 'by index' | 'by cost'): Database => {
  const database = openDatabase({ url: app.databaseUrl, poolSize: 1, role: 'phial_app', plans, log: app.ctx.log });
  database.pool.options.idleTimeoutMillis = 0;
  return database;
};

function connect(): Connections {
  return { worker: onOneConnection('by index'), api: onOneConnection('by cost') };
}

function use(connections: Connections): void {
  ({ worker, api } = connections);
  ctx = acrossTeams({ ...app.ctx, db: worker.db });
}

/** Opens connections that run each statement once and cache its plan. PostgreSQL then uses this plan for all values. */
async function openWithCachedPlans(): Promise<Connections> {
  const opened = connect();
  use(opened);
  for (const { db } of [worker, api]) await sql`set plan_cache_mode = force_generic_plan`.execute(db);
  for (const { work } of STATEMENTS) await work();
  return opened;
}

const MADE = [
  'when the tables were new',
  'when the queue was empty',
  'without statistics',
  'with fresh statistics',
] as const;
const connections = {} as Record<(typeof MADE)[number], Connections>;
const TABLES =
  'deliveries retries deferred_deliveries endpoint_queues webhooks webhook_secrets events_default users'.split(' ');

beforeAll(async () => {
  app = await startTestApp();
  team = app.team;
  endpoint = await startEndpoint({ invented: true });
  webhook = await subscribe(team, endpoint);
  for (const table of TABLES) await asOwner(`alter table ${table} set (autovacuum_enabled = false)`);
  connections['when the tables were new'] = await openWithCachedPlans();
  await asOwner('delete from deliveries; delete from retries; delete from events');
  await asOwner('vacuum (analyze, truncate false) deliveries, retries, deferred_deliveries, events_default, users');
  connections['when the queue was empty'] = await openWithCachedPlans();
  await fill();
  connections['without statistics'] = connect();
  connections['with fresh statistics'] = connect();
}, 300_000);
afterAll(async () => {
  await endpoint.close();
  for (const opened of Object.values(connections)) await Promise.all([opened.worker.close(), opened.api.close()]);
  await app.close();
});

async function asOwner<Row extends object>(text: string): Promise<Row[]> {
  const client = new Client({ connectionString: app.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Inserts 10,000 endpoints without a delivery, a disabled endpoint with all waiting deliveries, and an endpoint whose
 * retries are not due.
 */
async function fill(): Promise<void> {
  await asOwner(`
    insert into teams (id, org_id, name) select gen_random_uuid(), '${team.org_id}', 'Filler'
        from generate_series(1, ${TEAMS});
    insert into webhooks (id, team_id, url)
      select gen_random_uuid(), id, '${endpoint.url}' from teams, generate_series(1, ${ENDPOINTS_EACH})
          where name = 'Filler';
    insert into webhooks (id, team_id, url, disabled) values
      ('${paused}', '${team.id}', '${endpoint.url}', true), ('${failing}', '${team.id}', '${endpoint.url}', false);
    insert into endpoint_queues (webhook_id, team_id) select id, team_id from webhooks where id <> '${webhook}';
    update endpoint_queues set wake_at = now() + interval '1 hour' where webhook_id = '${failing}';
    insert into deliveries (webhook_id, event_id, team_id)
      select '${paused}', gen_random_uuid(), '${team.id}' from generate_series(1, ${PAUSED});
    insert into retries (webhook_id, event_id, team_id, attempt, due_at)
      select '${failing}', gen_random_uuid(), '${team.id}', 3, now() + interval '1 hour'
          from generate_series(1, ${NOT_DUE});
    insert into users (id, team_id, client_user_id) select gen_random_uuid(), '${team.id}', n
        from generate_series(1, 20000) as n;
    insert into events (team_id, id, event_type, body, user_id, position)
      select '${team.id}', event_id, 'test', '', (select id from users limit 1), row_number() over () from retries
          limit 20000`);
  stored = (
    await asOwner<{ id: string }>(
      `select id from events where event_type = 'test' order by position desc limit ${AT_ONCE}`,
    )
  ).map(({ id }) => id);
  const rows = await asOwner<{ id: string }>(`
    select webhooks.id from webhooks join teams on teams.id = team_id where name = 'Filler' limit ${AT_ONCE}`);
  endpoints = rows.map((row) => row.id);
  await giveSecrets();
}

/** Gives each endpoint a secret. Only the endpoints of the measured statements need one that we can decrypt. */
async function giveSecrets(): Promise<void> {
  const { rows } = await sql<{ id: string; team_id: string }>`
    select id, team_id from webhooks where id = any (${[paused, failing, ...endpoints]}::uuid[])`.execute(app.db);
  const secrets = rows.map(({ id, team_id }) => {
    const key = { team_id, id: newId() };
    return {
      ...key,
      webhook_id: id,
      secret: ctx.cipher.sealText('webhook_secrets.secret', key, 'whsec_bm9ib2R5IHNpZ25zIGFueXRoaW5nIHdpdGggdGhpcw=='),
    };
  });
  await app.db.insertInto('webhook_secrets').values(secrets).execute();
  await asOwner(`
    insert into webhook_secrets (webhook_id, id, team_id, secret)
      select id, gen_random_uuid(), team_id, '' from webhooks
       where not exists (select from webhook_secrets where webhook_id = webhooks.id)`);
}

/** The rows and index entries that `work` reads on the connection, and the pages that it touches. */
async function costOf(db: Db, work: () => Promise<unknown>): Promise<{ rows: number; pages: number }> {
  const count = async (): Promise<{ rows: number; pages: number }> => {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    await sql`select pg_stat_clear_snapshot()`.execute(db);
    const { rows } = await sql<{ rows: number; pages: number }>`
      select (select sum(seq_tup_read)::float8 from pg_stat_user_tables where relname = any (${TABLES}))
           + (select sum(idx_tup_read)::float8 from pg_stat_user_indexes where relname = any (${TABLES})) as rows,
             (select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::float8
                from pg_statio_user_tables where relname = any (${TABLES})) as pages`.execute(db);
    return rows[0] as { rows: number; pages: number };
  };
  const before = await count();
  await work();
  const after = await count();
  return { rows: after.rows - before.rows, pages: after.pages - before.pages };
}

const queues = (): string[] => [webhook, paused, failing, ...endpoints];
const leases = (): Lease[] =>
  queues().map((webhook_id) => ({ webhook_id, team_id: team.id, org_id: team.org_id, fence: 1 }));
const ended = (): EndedDelivery[] =>
  leases().map((lease, n) => ({
    delivery: {
      ...lease,
      event_id: newId(),
      attempt: 1,
      from: 'deliveries',
      schedule_from: 0,
      trigger: null,
      asked: null,
      event_type: steps.name,
      headers_id: null,
      url_changes: 0,
    },
    outcome: outcomeOf(n % 2 === 0 ? 204 : 500),
    delay: n % 2 === 0 ? null : 5,
  }));
const publish = (db: Db) =>
  inTransaction(boundToTeam({ ...app.ctx, db }, team.id), (tx) =>
    publishEvents({ ...tx, team }, [
      { type: steps, user: null, data: {} },
      { type: steps, user: null, data: {} },
    ]),
  );

type Statement = { title: string; work: () => Promise<unknown>; on?: () => Database };

const STATEMENTS: Statement[] = [
  { title: 'events are published', work: () => publish(api.db), on: () => api },
  {
    title: 'the queue is read',
    work: () =>
      readQueue(
        ctx.db,
        queues().map((webhook_id) => ({ webhook_id, after: BEGINNING, most: 16 })),
        queues().map((webhook_id) => ({ webhook_id, most: 16 })),
      ),
  },
  { title: 'endpoints with first attempts are found', work: () => findEndpointsWithDeliveries(ctx.db, BEGINNING, 500) },
  { title: 'rows of deleted endpoints are deleted', work: () => sweepOrphans(ctx.db, queues()) },
  { title: 'queues are taken', work: () => leaseQueues(ctx.db, newId(), queues()) },
  { title: 'queues that wake are taken', work: () => leaseDueQueues(ctx.db, newId(), 500) },
  {
    title: 'queues of a dead worker are woken',
    work: async () => {
      await ctx.db.insertInto('delivery_workers').values({ id: newId() }).execute();
      await wakeQueuesOfDeadWorkers(ctx.db, newId());
    },
  },
  { title: 'leases are renewed', work: () => renewQueues(ctx.db, newId(), leases()) },
  { title: 'queues are released', work: () => releaseQueues(ctx.db, leases()) },
  { title: 'queues are woken', work: () => ctx.db.transaction().execute((tx) => wakeQueues(tx, queues())) },
  { title: 'endpoints are read', work: () => new EndpointCache(ctx).find(queues()) },
  {
    title: 'events are read',
    work: () =>
      loadEvents(
        ctx,
        [newId(), ...stored].map((id) => ({
          team_id: team.id,
          id,
          known: null,
          notifiedEndpoint: queues()[0] ?? null,
        })),
      ),
  },
  { title: 'outcomes are written', work: () => recordOutcomes(ctx, ended()) },
  {
    title: 'deliveries are asked for',
    work: () =>
      stillQueued(
        ctx.db,
        ended().map(({ delivery }) => delivery),
      ),
  },
  {
    title: 'deliveries without an event are dropped',
    work: () =>
      dropDeliveries(
        ctx.db,
        ended().map(({ delivery }) => delivery),
      ),
  },
  {
    title: 'deliveries are deferred',
    work: () =>
      deferDeliveries(
        ctx.db,
        ended().map(({ delivery }) => ({ queued: delivery, team_id: team.id, fence: 1, user_id: newId() })),
      ),
  },
  {
    title: 'a delivery is queued again',
    work: () =>
      inTransaction(boundToTeam({ ...app.ctx, db: api.db, team }, team.id), (tx) =>
        requeueDelivery(tx as never, (ended()[0] as EndedDelivery).delivery, 'resend'),
      ),
    on: () => api,
  },
  {
    title: 'deferred deliveries are sent',
    work: () => ctx.db.transaction().execute((tx) => sendDeferredDeliveries(tx, { id: newId() })),
  },
];

describe.each(MADE)('with plans made %s', (made) => {
  beforeAll(async () => {
    if (made === 'with fresh statistics') await asOwner(`vacuum analyze ${TABLES.join(', ')}`);
    use(connections[made]);
  });

  test.each(STATEMENTS)('$title without reading a table whole', async ({ work, on }) => {
    // The statements use the fence 1. A statement does not search the rows of a queue that has another fence.
    await asOwner(`update endpoint_queues set fence = 1 where webhook_id in ('${queues().join("', '")}')`);
    const cost = await costOf((on?.() ?? worker).db, work);
    // A statement handles 103 endpoint queues with a few rows each. Even the smallest table has 10,000 rows.
    expect(cost.rows).toBeLessThan(5_000);
    expect(cost.pages).toBeLessThan(10_000);
  });

  test('outcomes of one endpoint are written without reading all its retries, also before PostgreSQL 18', async () => {
    await asOwner(`update endpoint_queues set fence = 1 where webhook_id = '${failing}'`);
    const [one] = ended() as [EndedDelivery];
    const batch = Array.from({ length: 50 }, () => ({
      ...one,
      delivery: { ...one.delivery, webhook_id: failing, event_id: newId() },
    }));
    const cost = await costOf(worker.db, () => recordOutcomes(ctx, batch));
    expect(cost.pages).toBeLessThan(5_000);
  });

  test('the queue is measured by reading a part of it', async () => {
    const cost = await costOf(worker.db, () => measureQueue(ctx.db, app.metrics));
    // It counts at most 10,000 of the deliveries and of the retries.
    expect(cost.rows).toBeLessThan(25_000);
  });

  test('an event is delivered without reading everything that waits', async () => {
    const sender = openSender({ policy: deploymentPolicy(app.config), userAgent: 'Phial test', timeoutMs: 5_000 });
    const deliverer = new Deliverer({ ...app.ctx, db: worker.db }, { sender, metrics: app.metrics });
    const costs: number[] = [];
    // Other connections may report earlier reads late, so a measurement can be too high. We use the smallest of three.
    for (let tries = 0; tries < 3; tries += 1) {
      const already = endpoint.received.length;
      await asOwner(`update endpoint_queues set owner = null, wake_at = null where webhook_id = '${webhook}'`);
      await publish(api.db);
      costs.push((await costOf(worker.db, () => deliverer.untilIdle())).rows);
      expect(endpoint.received.length).toBeGreaterThanOrEqual(already + 2);
    }
    await deliverer.stop(0);
    expect(Math.min(...costs)).toBeLessThan(5_000);
  });
});
