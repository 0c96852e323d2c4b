import { sql } from 'kysely';
import { eraseQuery } from '../src/wearables/aggregate/continuous/erase.ts';
import { runContinuousQuery } from '../src/wearables/aggregate/continuous/runs/run.ts';
import { spreadSome } from '../src/wearables/aggregate/continuous/runs/spread.ts';
import type { Answer, Team, TestApp } from './app.ts';
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

type Place = { team_id: string; user_id: string; query_id: string };

/** Does what waits of continuous queries, without waiting: spreads, runs and erasures. */
export async function settleQueries(app: TestApp): Promise<void> {
  const spreading = await sql<Place>`
    select team_id, id as query_id from continuous_queries where spread_after is not null`.execute(app.db);
  for (const place of spreading.rows) await spreadSome(await teamCtx(app.ctx, place.team_id), place);
  const waiting = await sql<Place>`
    select team_id, user_id, query_id from continuous_query_tasks where status = 'scheduled' order by number`.execute(
    app.db,
  );
  for (const place of waiting.rows) await runContinuousQuery(await teamCtx(app.ctx, place.team_id), place);
  const deleted = await sql<Place>`
    select team_id, id as query_id from continuous_queries where deleted_at is not null`.execute(app.db);
  for (const place of deleted.rows) await eraseQuery(await teamCtx(app.ctx, place.team_id), place);
}
