// Counts the rows that the statements of webhook replays read beside 100,000 events and attempts. It does so with plans
// that were cached while the tables were empty, and with fresh plans.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { subscribe } from '../../../test/factories.ts';
import { query } from '../../../test/global-setup.ts';
import { startEndpoint } from '../../../test/endpoint.ts';
import { rowsRead } from '../../../test/rows-read.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { openDatabase, type Database, type Db } from '../../db/open-database.ts';
import { minIdAt, newId } from '../../ids.ts';
import { BEGINNING } from '../queues/discover.ts';
import { queueReplayed } from '../queues/queue-replayed.ts';
import { findEndpointsWithReplays, saveProgress, takeReplay, type Replay } from './replay-progress.ts';
import { readEvents } from './read-events.ts';

const EVENTS = 50_000;
const TABLES = [
  'events_default',
  'attempts_default',
  'webhook_replays',
  'deliveries',
  'retries',
  'endpoint_queues',
  'webhooks',
];
/** The smallest id of the events. All have the same time in their ids, so they are all in the default partitions. */
const FIRST = minIdAt(Date.parse('2020-01-01T00:00:00Z'));
/** Events with a greater id are tests of an endpoint, which a replay does not send. */
const MIDDLE = `${FIRST.slice(0, 24)}${(EVENTS / 2).toString(16).padStart(12, '0')}`;

let app: TestApp;
let webhook: string;
let replay: Replay;
const databases: Record<string, Database> = {};

const open = async (): Promise<Database> => {
  const database = openDatabase({
    url: app.databaseUrl,
    poolSize: 1,
    role: 'phial_app',
    plans: 'by index',
    log: app.ctx.log,
  });
  database.pool.options.idleTimeoutMillis = 0;
  return database;
};
const dbOf = (database: Database): Db => acrossTeams({ ...app.ctx, db: database.db }).db;

beforeAll(async () => {
  app = await startTestApp();
  const endpoint = await startEndpoint();
  webhook = await subscribe(app.team, endpoint);
  await endpoint.close();
  replay = {
    id: newId(),
    webhook_id: webhook,
    team_id: app.team.id,
    kind: 'replay',
    since: '2020-01-01T00:00:00.000Z',
    until: '2020-12-31T00:00:00.000Z',
    event_types: null,
    filter_types: null,
    per_second: 100,
    done_to: FIRST,
    events_found: 0,
    events_delivered: 0,
    events_failed: 0,
    events_skipped: 0,
    created_at: '2021-01-01T00:00:00.000Z',
    taken_at: '1',
  };
  for (const table of TABLES) await query(app.databaseUrl, `alter table ${table} set (autovacuum_enabled = false)`);
  databases['kept from when the tables were empty'] = await open();
  const earlyDb = dbOf(databases['kept from when the tables were empty'] as Database);
  await sql`set plan_cache_mode = force_generic_plan`.execute(earlyDb);
  for (const { work } of STATEMENTS) await work(earlyDb);
  await query(
    app.databaseUrl,
    `set session_replication_role = replica;
     insert into webhooks (id, team_id, url) select gen_random_uuid(), '${app.team.id}', 'http://127.0.0.1'
         from generate_series(1, 5000);
     insert into endpoint_queues (webhook_id, team_id) select id, team_id from webhooks on conflict do nothing;
     insert into webhook_replays (webhook_id, id, team_id, kind, since, until, per_second, done_to, status, ended_at)
       select id, gen_random_uuid(), team_id, 'replay', now(), now(), 1, '${FIRST}', 'succeeded', now()
           from webhooks, generate_series(1, 4);
     insert into webhook_replays (webhook_id, id, team_id, kind, since, until, per_second, done_to)
       select id, gen_random_uuid(), team_id, 'replay', now(), now(), 1, '${FIRST}' from webhooks;
     insert into events (team_id, id, event_type, body)
       select '${app.team.id}', ('${FIRST.slice(0, 24)}' || lpad(to_hex(n), 12, '0'))::uuid,
           'daily.data.steps.created', ''
         from generate_series(1, ${EVENTS}) as n;
     insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, duration_ms)
       select team_id, gen_random_uuid(), '${webhook}', id, 1, case when random() < 0.5 then 'failed'
           else 'succeeded' end, 1 from events;
     update events set test_for = '${webhook}' where id > '${MIDDLE}'`,
  );
  databases['made without statistics'] = await open();
}, 300_000);
afterAll(async () => {
  for (const database of Object.values(databases)) await database.close();
  await app.close();
});

type Statement = { title: string; most: number; work: (db: Db) => Promise<unknown> };

const queue = {
  fence: 0,
  get webhook_id() {
    return webhook;
  },
};
const STATEMENTS: Statement[] = [
  {
    title: 'endpoints with replays are found',
    most: 3_000,
    work: (db) => findEndpointsWithReplays(db, BEGINNING, 500),
  },
  { title: 'a replay is taken', most: 30, work: (db) => takeReplay(db, queue) },
  { title: 'progress is written', most: 30, work: (db) => saveProgress(db, queue, replay, false) },
  { title: 'stored events are read', most: 3_000, work: (db) => readEvents(db, replay, FIRST, 256) },
  { title: 'tests of endpoints are skipped', most: 1_000, work: (db) => readEvents(db, replay, MIDDLE, 256) },
  {
    title: 'failed events are read',
    most: 6_000,
    work: (db) => readEvents(db, { ...replay, kind: 'recover' }, FIRST, 256),
  },
  {
    title: 'replayed deliveries are queued for their outcome',
    most: 1_000,
    work: (db) =>
      db.transaction().execute((tx) =>
        queueReplayed(
          tx,
          Array.from({ length: 64 }, (_, n) => ({
            webhook_id: webhook,
            event_id: `${FIRST.slice(0, 24)}${(n + 1).toString(16).padStart(12, '0')}`,
            team_id: app.team.id,
            fence: 0,
            attempt: 2,
          })),
        ),
      ),
  },
];

describe.each(['kept from when the tables were empty', 'made without statistics', 'made with fresh statistics'])(
  'with plans %s',
  (made) => {
    beforeAll(async () => {
      if (made !== 'made with fresh statistics') return;
      await query(app.databaseUrl, `vacuum analyze ${TABLES.join(', ')}`);
      databases[made] = await open();
    });

    test.each(STATEMENTS)('$title without reading a table whole', async ({ work, most }) => {
      const db = dbOf(databases[made] as Database);
      const read = await rowsRead(db, TABLES, () => work(db));
      expect(read).toBeLessThan(most);
    });
  },
);
