import pg from 'pg';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { fill } from '../../test/fill-tables.ts';
import { newId } from '../ids.ts';
import { acrossTeams, boundToOrg, boundToTeam } from './session/bind.ts';
import type { Db } from './open-database.ts';

/** Tables without rows of a team or organisation: the catalogue, and tables that the program needs for itself. */
const WITHOUT_POLICY = new Set([
  'analytes',
  'application_subscriptions',
  'carrier_scans',
  'deployment',
  'encryption_keys',
  'event_epochs',
  'laboratory_codes',
  'laboratory_connections',
  'laboratory_senders',
  'labs',
  'marker_analytes',
  'marker_questions',
  'markers',
  'migrations',
  'order_status_rules',
  'processes',
  'provider_waits',
  'rate_limits',
  'scheduler_connections',
  'seeds',
  'service_centers',
  'zip_prefixes',
]);
/** The service inserts rows into this table and never changes them. */
const APPEND_ONLY = 'audit_log';

let app: TestApp;
let other: Team;
let owner: pg.Client;
beforeAll(async () => {
  app = await startTestApp();
  await fill(app, app.team);
  other = await app.makeTeam('Other team');
  owner = new pg.Client({ connectionString: app.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await app.close();
});

const ask = async <R>(text: string): Promise<R[]> => (await owner.query(text)).rows as R[];
const count = async (db: Db, table: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::float8 as count from ${sql.table(table)}`.execute(db);
  return rows[0]?.count ?? NaN;
};
const tables = (): Promise<{ name: string; secured: boolean; policies: number; has_team: boolean }[]> =>
  ask(`
    select c.relname as name, c.relrowsecurity as secured, exists (
             select from pg_attribute a where a.attrelid = c.oid and a.attname in ('team_id', 'org_id', 'user_id',
               'scope_id')
           ) as has_team,
           (select count(*)::int from pg_policy p where p.polrelid = c.oid) as policies
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     order by 1`);

describe('every table', () => {
  test('has a row-level-security policy, unless it belongs to nobody', async () => {
    const all = await tables();
    expect(all.filter(({ secured }) => !secured).map(({ name }) => name)).toEqual([...WITHOUT_POLICY]);
    expect(all.filter(({ secured, policies }) => secured && policies === 0)).toEqual([]);
    expect(all.filter(({ name, has_team }) => WITHOUT_POLICY.has(name) && has_team)).toEqual([]);
  });

  test('of the catalogue is read-only for the service', async () => {
    for (const table of [
      'labs',
      'laboratory_codes',
      'laboratory_connections',
      'analytes',
      'markers',
      'marker_analytes',
      'marker_questions',
      'order_status_rules',
      'migrations',
      'seeds',
      'service_centers',
      'zip_prefixes',
    ]) {
      await expect(sql`delete from ${sql.table(table)}`.execute(app.db)).rejects.toThrow('permission denied');
    }
  });

  test('has an owner other than the role of the service, which cannot bypass a policy', async () => {
    const roles = await ask(`
      select rolsuper, rolbypassrls, rolcreaterole, exists (select from pg_class where relowner = r.oid) as owns
        from pg_roles r where rolname = 'phial_app'`);
    expect(roles).toEqual([{ rolsuper: false, rolbypassrls: false, rolcreaterole: false, owns: false }]);
  });

  test('hides its partitions from direct queries', async () => {
    const parts = await ask<{ name: string }>(
      `select relname as name from pg_class where relispartition and relkind = 'r'`,
    );
    expect(parts.length).toBeGreaterThan(4);
    for (const { name } of parts) {
      await expect(sql`select from ${sql.table(name)}`.execute(acrossTeams(app.ctx).db), name).rejects.toThrow(
        'permission denied',
      );
    }
  });
});

test('the same functions, which the service may not call, give later tables their policy', async () => {
  await owner.query('begin');
  try {
    await owner.query(
      `create table remarks (team_id uuid not null, note text); select create_team_policies('remarks')`,
    );
    await owner.query('insert into remarks values ($1, $3), ($2, $4)', [app.team.id, other.id, 'mine', 'theirs']);
    await owner.query(`set local role phial_app; set local phial.team = '${app.team.id}'`);
    expect(await ask('select note from remarks')).toEqual([{ note: 'mine' }]);
    await expect(ask(`select create_row_policy('remarks', 'true')`)).rejects.toThrow('permission denied');
  } finally {
    await owner.query('rollback');
  }
});

describe('a statement without a filter', () => {
  test('sees every row where it works for all teams, and every row of its team where it works for one', async () => {
    const empty: string[] = [];
    for (const { name, secured } of await tables()) {
      if (!secured) continue;
      const [{ rows } = { rows: 0 }] = await ask<{ rows: number }>(`select count(*)::float8 as rows from "${name}"`);
      expect([name, await count(acrossTeams(app.ctx).db, name)]).toEqual([name, rows]);
      if (rows === 0) empty.push(name);
    }
    expect(empty).toEqual([]);
    const mine = boundToTeam(app.ctx, app.team.id).db;
    for (const table of ['users', 'orders', 'events', 'webhooks', 'lab_test_markers', 'webhook_secrets'])
      expect([table, (await count(mine, table)) > 0]).toEqual([table, true]);
  });

  test.each([
    ['another team', () => boundToTeam(app.ctx, other.id)],
    ['another organisation', () => boundToOrg(app.ctx, other.org_id)],
    ['its own organisation', () => boundToOrg(app.ctx, app.team.org_id)],
    ['nobody', () => app.ctx],
  ])('sees nothing of the team for %s', async (who, ctx) => {
    const { db } = ctx();
    const seen: string[] = [];
    for (const { name, secured } of await tables()) {
      if (!secured) continue;
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(db);
      if (rows.some(({ row }) => row.includes(app.team.id))) seen.push(name);
      else if (who === 'nobody' && rows.length > 0) seen.push(`${name} (${rows.length})`);
    }
    const { length: payors } = await ask('select from payors where team_id is null');
    const { length: codes } = await ask(
      'select from payor_external_codes join payors using (payor_code) where team_id is null',
    );
    expect(seen).toEqual(
      {
        'its own organisation': [
          'audit_log',
          'data_pull_preferences',
          'ehr_members',
          'ehr_pipelines',
          'etl_pipelines',
          'lab_accounts',
          'team_api_keys',
          'team_credentials',
          'teams',
        ],
        // Everybody may read the directory of payors.
        nobody: [`payor_external_codes (${codes})`, `payors (${payors})`],
      }[who] ?? [],
    );
  });

  test('changes and deletes nothing of another team', async () => {
    const { db } = boundToTeam(app.ctx, newId());
    for (const { name, secured } of await tables()) {
      if (!secured) continue;
      const rows = `select coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as hash from "${name}" t`;
      const before = await ask(rows);
      const [{ column } = { column: '' }] = await ask<{ column: string }>(
        `select attname as column from pg_attribute where attrelid = '"${name}"'::regclass and attnum = 1`,
      );
      const work = [
        sql`update ${sql.table(name)} set ${sql.ref(column)} = ${sql.ref(column)}`,
        sql`delete from ${sql.table(name)}`,
      ];
      for (const statement of work) {
        const outcome = await statement.execute(db).then(
          ({ numAffectedRows }) => Number(numAffectedRows),
          (error: Error) => error.message,
        );
        expect([name, outcome]).toEqual([name, name === APPEND_ONLY ? expect.stringMatching(/denied/) : 0]);
      }
      expect([name, await ask(rows)]).toEqual([name, before]);
    }
  });

  test('inserts nothing into another team', async () => {
    const { db } = boundToTeam(app.ctx, other.id);
    for (const { name, secured } of await tables()) {
      if (!secured || name === APPEND_ONLY) continue;
      const copy = sql`insert into ${sql.table(name)} select *
        from jsonb_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(
          await ask(`select * from "${name}" limit 1`),
        )}::jsonb)`;
      await expect(copy.execute(db), name).rejects.toThrow(/row-level security|denied|is not one of the order's/);
    }
  });
});
