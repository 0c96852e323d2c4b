import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { query } from '../../../test/global-setup.ts';
import type { TeamsCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { listTeamKeys } from './list-team-keys.ts';

const TEAMS = 2_000;
const KEYS_EACH = 3;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await query(
    app.databaseUrl,
    `alter table teams set (autovacuum_enabled = false);
     alter table team_api_keys set (autovacuum_enabled = false);
     set session_replication_role = replica;
     insert into teams (id, org_id, name)
       select gen_random_uuid(), '${app.team.org_id}', 'Filler' from generate_series(1, ${TEAMS});
     insert into team_api_keys (id, team_id, label, key_hash, key_start)
       select gen_random_uuid(), id, 'key', sha256((id::text || n)::bytea), 'sk_us'
         from teams, generate_series(1, ${KEYS_EACH}) as n
        where name = 'Filler'`,
  );
});
afterAll(() => app.close());

type Plan = {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
};

/** Counts the rows that all nodes of a plan returned or discarded. */
const workOf = (plan: Plan): number =>
  plan['Actual Loops'] *
    (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0)) +
  (plan.Plans ?? []).reduce((sum, part) => sum + workOf(part), 0);

/** Runs the statement of `work` with EXPLAIN ANALYZE, and returns how many rows PostgreSQL read for it. */
async function workBehind(work: (ctx: TeamsCtx) => Promise<unknown>, teamIds: string[] | null): Promise<number> {
  let asked: RootOperationNode | undefined;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => (asked = node),
    transformResult: async ({ result }) => result,
  };
  const { db } = boundToOrg(app.ctx, app.team.org_id);
  const org = { id: app.team.org_id };
  await work({ ...app.ctx, db: db.withPlugin(plugin), org, teamIds } as unknown as TeamsCtx);
  const { sql, parameters } = db.getExecutor().compileQuery(asked as RootOperationNode, { queryId: newId() });
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    CompiledQuery.raw(`explain (analyze, format json) ${sql}`, [...parameters]),
  );
  return workOf((rows[0] as (typeof rows)[number])['QUERY PLAN'][0].Plan);
}

test.each(['without statistics', 'with fresh ones'])(
  'a page reads each key and team a few times, not all teams for each key (%s)',
  async (statistics) => {
    if (statistics === 'with fresh ones') await query(app.databaseUrl, 'analyze teams, team_api_keys');
    const work = async (ctx: TeamsCtx): Promise<void> =>
      expect((await listTeamKeys(ctx, null)).api_keys).toHaveLength(50);
    expect(await workBehind(work, null)).toBeLessThan(10 * TEAMS * KEYS_EACH);
  },
);

test("a page of one team reads only that team's keys", async () => {
  const work = async (ctx: TeamsCtx): Promise<void> => expect((await listTeamKeys(ctx, null)).api_keys).toHaveLength(1);
  // The statement reads few keys, but the row-level-security policy reads all teams of the organisation once.
  expect(await workBehind(work, [app.team.id])).toBeLessThan(3 * TEAMS);
});
