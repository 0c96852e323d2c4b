import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { isPushed } from '../providers/provider-catalogue.ts';
import type { ProviderWithStatus, SkippedOfProvider } from './schemas.ts';

/** What a connection imported last, and what it will do next. */
export type Progress = Pick<Static<typeof ProviderWithStatus>, 'last_data_at' | 'last_attempt' | 'skipped' | 'next'>;

type Row = {
  provider: string;
  status: string;
  last_data_at: string | null;
  attempted_at: string | null;
  succeeded: boolean | null;
  is_polled: boolean;
  poll_at: string | null;
  coming: string[] | null;
  pull_at: string | null;
  skipped: Record<string, number>;
};

/** Returns, for each provider of a user, when the connection last brought data, and what it will do next. */
export async function progressOf({ db, team }: TeamCtx, userId: string): Promise<ReadonlyMap<string, Progress>> {
  const { rows } = await sql<Row>`
    select c.provider, c.status, data.last_data_at, tried.attempted_at, tried.succeeded,
           p.user_id is not null as is_polled, nullif(p.due_at, 'infinity') as poll_at, past.coming, past.pull_at,
           left_out.skipped
      from connections c
      left join polls p on p.user_id = c.user_id and p.provider = c.provider
     cross join lateral (
       select greatest(
         (select max(updated_at) from summaries s
           where s.user_id = c.user_id and s.team_id = c.team_id and s.provider = c.provider),
         (select max(changed_at) from streams s
           where s.user_id = c.user_id and s.team_id = c.team_id and s.provider = c.provider)) as last_data_at
     ) as data
     cross join lateral (
       select array_agg(resource order by resource) as coming, nullif(min(due_at), 'infinity') as pull_at from pulls
        where pulls.user_id = c.user_id and pulls.provider = c.provider and ended_at is null
     ) as past
     cross join lateral (
       -- If the last poll covers days of the pull, both counted the same skipped records. We use the larger number.
       select coalesce(jsonb_object_agg(type, many), '{}') as skipped from (
         select type, sum(case when looked_from < pulled_to then greatest(pulled, looked)
           else pulled + looked end) as many
           from (
             select resource, type, sum(pulled) as pulled, max(pulled_to) as pulled_to, sum(looked) as looked,
               min(looked_from) as looked_from
               from (
                 select pulls.resource, found.key as type, found.value::bigint as pulled, range_end as pulled_to,
                   0 as looked, null::timestamptz as looked_from
                   from pulls cross join jsonb_each_text(skipped) as found
                  where pulls.user_id = c.user_id and pulls.provider = c.provider
                  union all
                 select look.key, found.key, 0, null, found.value::bigint, (look.value ->> 'from')::timestamptz
                   from jsonb_each(p.by_resource) as look cross join jsonb_each_text(look.value -> 'skipped') as found
               ) as counted group by resource, type
           ) as each group by type) as sums
     ) as left_out
      left join lateral (
       select attempted_at, succeeded from (
         select p.attempted_at, p.succeeded where p.attempted_at is not null
          union all
         select ended_at, status = 'success' from pulls
          where pulls.user_id = c.user_id and pulls.provider = c.provider and ended_at is not null
       ) as tries order by attempted_at desc limit 1
     ) as tried on true
     where c.user_id = ${userId} and c.team_id = ${team.id}`.execute(db);
  return new Map(rows.map((row) => [row.provider, render(row)]));
}

const render = (row: Row): Progress => ({
  last_data_at: row.last_data_at,
  last_attempt:
    row.attempted_at === null
      ? null
      : { timestamp: row.attempted_at, status: row.succeeded ? ('success' as const) : ('failure' as const) },
  skipped: skippedOf(row.skipped),
  next: nextOf(row),
});

/** Returns the counts of skipped records as responses show them, the largest count first. */
export const skippedOf = (counts: Record<string, number>): Static<typeof SkippedOfProvider>[] =>
  Object.entries(counts)
    .map(([type, records]) => ({ type, reason: 'impossible' as const, records }))
    .sort((a, b) => b.records - a.records || (a.type < b.type ? -1 : 1));

function nextOf({ provider, status, is_polled, poll_at, coming, pull_at }: Row): Progress['next'] {
  const next = (action: Progress['next']['action'], at: string | null = null): Progress['next'] => ({
    action,
    at,
    resources: action === 'historical_pull' ? (coming ?? []) : [],
  });
  if (status !== 'connected') return next('reconnect');
  if (coming !== null) return next('historical_pull', pull_at);
  if (is_polled) return next('poll', poll_at);
  return next(isPushed(provider) ? 'push' : 'none');
}
