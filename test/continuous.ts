import { sql } from 'kysely';
import { eraseQuery } from '../src/wearables/aggregate/continuous/erase.ts';
import { runContinuousQuery } from '../src/wearables/aggregate/continuous/runs/run-continuous-query.ts';
import { spreadSome } from '../src/wearables/aggregate/continuous/runs/spread-query.ts';
import type { Answer, Team, TestApp } from './test-app.ts';
import { teamCtx } from './team-ctx.ts';

export type Query = {
  id: string;
  slug: string;
  title: string;
  query_type: string;
  active: boolean;
  query: object;
  timeframe: object;
  config: object | null;
  updated_at: string;
};

export const queriesPath = (team: Team): string => `/v1/org/${team.org_id}/team/${team.id}/sandbox/continuous_query`;

/** The mean heart rate of each of the last days. */
export const heartRateByDay = {
  title: 'Heart rate by day',
  timeframe: { past: { unit: 'day', value: 7 } },
  query: {
    select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate' } }],
    group_by: [{ date_trunc: { unit: 'day' } }],
  },
};

export const createQuery = <T = Query>(team: Team, changes: object = {}): Promise<Answer<T>> =>
  team.api<T>('POST', queriesPath(team), { ...heartRateByDay, ...changes });

type QueryKey = { team_id: string; user_id: string; query_id: string };

/** Does all waiting work of continuous queries at once: it spreads changes, runs queries and erases. */
export async function runPendingQueries(app: TestApp): Promise<void> {
  const spreading = await sql<QueryKey>`
    select team_id, id as query_id from continuous_queries where spread_after is not null`.execute(app.db);
  for (const queryKey of spreading.rows) await spreadSome(await teamCtx(app.ctx, queryKey.team_id), queryKey);
  const waiting = await sql<QueryKey>`
    select team_id, user_id, query_id from continuous_query_tasks where status = 'scheduled' order by number`.execute(
    app.db,
  );
  for (const queryKey of waiting.rows) await runContinuousQuery(await teamCtx(app.ctx, queryKey.team_id), queryKey);
  const deleted = await sql<QueryKey>`
    select team_id, id as query_id from continuous_queries where deleted_at is not null`.execute(app.db);
  for (const queryKey of deleted.rows) await eraseQuery(await teamCtx(app.ctx, queryKey.team_id), queryKey);
}
