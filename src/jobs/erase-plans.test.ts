// Counts the rows that an erasure reads in tables with many rows of others. PostgreSQL has statistics of empty tables
// at first, and then fresh ones.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { kitTestId, makeUser, subscribe } from '../../test/factories.ts';
import { query } from '../../test/global-setup.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import type { Ctx } from '../context.ts';
import { openDatabase, type Database } from '../db/open-database.ts';
import { eraseTeams } from '../../test/erase-deleted-teams.ts';
import { eraseUsers } from '../../test/erase-due-users.ts';

const OTHERS = 25_000;
const ORDERS = 150;
const ENDPOINTS = 10;
/** The tables have about 6,000 rows and index entries. The rows of a team are read twice. */
const MAX_READ = 0.8 * OTHERS;
const TABLES =
  `deliveries retries deferred_deliveries webhooks events_default attempts_default order_transactions orders
  order_events sample_ids user_info insurances lab_tests`.split(/\s+/);

let app: TestApp;
/** One connection, so that its statistics are complete when they are read. */
let database: Database;
let ctx: Ctx;

const asOwner = (text: string) => query(app.databaseUrl, text);

beforeAll(async () => {
  app = await startTestApp();
  database = openDatabase({ url: app.databaseUrl, poolSize: 1, role: 'phial_app', log: app.ctx.log });
  database.pool.options.idleTimeoutMillis = 0;
  ctx = { ...app.ctx, db: database.db };
  for (const table of TABLES) await asOwner(`alter table ${table} set (autovacuum_enabled = false)`);
  // We fill the tables and empty them again. PostgreSQL then knows empty pages, and assumes that further ones are too.
  const team = await app.makeTeam();
  await fill(team, await endpointsOf(team, 1), 100);
  await asOwner('set session_replication_role = replica; delete from deliveries; delete from retries');
  await asOwner('delete from orders; delete from order_transactions; delete from events; delete from attempts');
  await asOwner('delete from sample_ids; delete from order_events; delete from user_info; delete from insurances');
  for (const table of TABLES) await asOwner(`vacuum (analyze, truncate false) ${table}`);
  const other = await app.makeTeam();
  await fill(other, await endpointsOf(other, 1), OTHERS);
}, 300_000);
afterAll(async () => {
  await database.close();
  await app.close();
});

async function endpointsOf(team: Team, many: number): Promise<string[]> {
  const endpoint = await startEndpoint();
  const ids: string[] = [];
  for (let n = 0; n < many; n += 1) ids.push(await subscribe(team, endpoint));
  await endpoint.close();
  return ids;
}

/** Orders of one user, each with an event that waits for every endpoint. Triggers are off, unlike in the service. */
async function fill(team: Team, endpoints: string[], orders: number): Promise<string> {
  const { user_id } = await makeUser(team);
  const lab_test_id = await kitTestId(team);
  const mine = `where user_id = '${user_id}'`;
  await asOwner(`
    set session_replication_role = replica;
    insert into order_transactions (user_id, id, team_id)
      select '${user_id}', gen_random_uuid(), '${team.id}' from generate_series(1, ${orders});
    insert into orders (user_id, id, team_id, order_transaction_id, origin, lab_test_id, details_id, method,
                        last_status,
        last_low_level_status, last_event_id)
      select user_id, id, team_id, id, 'initial', '${lab_test_id}', id, 'testkit',
             'received.testkit.ordered', 'ordered', 1
        from order_transactions ${mine};
    insert into order_events (user_id, order_id, team_id, id, status)
      select user_id, id, team_id, 1, 'received.testkit.ordered' from orders ${mine};
    insert into sample_ids (sample_id, team_id, order_id) select upper(id::text), team_id, id from orders ${mine};
    insert into user_info (user_id, team_id, info) select id, team_id, '' from order_transactions ${mine};
    insert into insurances (user_id, id, team_id, payor_code, relationship, is_primary, details, company)
      select id, id, team_id, '', '', true, '', '{}' from order_transactions ${mine};
    insert into events (team_id, id, user_id, event_type, body)
      select team_id, ('00000000-0000-7000-8000-' || right(id::text, 12))::uuid, user_id, 'test', '' from orders ${mine}
      on conflict do nothing;
    insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, duration_ms)
      select team_id, gen_random_uuid(), webhook_id, id, 1, 'failed', 1
        from events, unnest('{${endpoints.join()}}'::uuid[]) as webhook_id ${mine};
    insert into deliveries (webhook_id, event_id, team_id)
      select webhook_id, id, team_id from events, unnest('{${endpoints.join()}}'::uuid[]) as webhook_id ${mine};
    insert into retries (webhook_id, event_id, team_id, attempt, due_at)
      select webhook_id, event_id, team_id, 1, now() + interval '1 day' from deliveries
       where webhook_id = any ('{${endpoints.join()}}')`);
  return user_id;
}

/** The rows and index entries that `work` reads. */
async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`.execute(ctx.db);
    await sql`select pg_stat_clear_snapshot()`.execute(ctx.db);
    const { rows } = await sql<{ rows: number }>`
      select (select sum(seq_tup_read)::float8 from pg_stat_user_tables where relname = any (${TABLES}))
           + (select sum(idx_tup_read)::float8 from pg_stat_user_indexes
               where relname = any (${TABLES})) as rows`.execute(ctx.db);
    return rows[0]?.rows ?? NaN;
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

const queued = (team: Team) =>
  app.db.selectFrom('deliveries').select('event_id').where('team_id', '=', team.id).execute();

describe.each(['of empty tables', 'that are fresh'])('with statistics %s', (statistics) => {
  const freshen = async (): Promise<void> => {
    if (statistics === 'that are fresh') await asOwner(`vacuum analyze ${TABLES.join(', ')}`);
  };

  test('the erasure of a user with many waiting deliveries does not read those of others', async () => {
    const team = await app.makeTeam();
    const userId = await fill(team, await endpointsOf(team, ENDPOINTS), ORDERS);
    expect(await queued(team)).toHaveLength(ORDERS * ENDPOINTS);
    await team.api('DELETE', `/v2/user/${userId}`);
    await asOwner(`update users set deleted_at = now() - interval '8 days' where id = '${userId}'`);
    await freshen();
    const read = await rowsRead(async () => expect(await eraseUsers(ctx)).toBe(1));
    expect(await queued(team)).toEqual([]);
    expect(read).toBeLessThan(MAX_READ);
  });

  test('the erasure of a team with many waiting deliveries does not read those of others', async () => {
    const team = await app.makeTeam();
    await fill(team, await endpointsOf(team, ENDPOINTS), ORDERS);
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
    await freshen();
    const read = await rowsRead(() => eraseTeams(ctx));
    expect(await app.db.selectFrom('teams').select('id').where('id', '=', team.id).execute()).toEqual([]);
    expect(read).toBeLessThan(MAX_READ);
  });
});
