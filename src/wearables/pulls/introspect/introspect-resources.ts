import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { SERIES } from '../../series.ts';
import { ROWS_ASKED_FOR, toPage, usersFrom } from './introspect-users.ts';
import type { IntrospectQuery, UserResources } from '../schemas.ts';

type Row = {
  user_id: string;
  provider: string;
  /** The name of the resource in events. */
  name: string;
  oldest: string | null;
  newest: string | null;
  sent: number;
  attempted_at: string | null;
  succeeded: boolean | null;
};

type Page = Static<typeof UserResources>;

/** The names of series in events, which pulls use. */
const EVENT_NAMES = JSON.stringify(Object.fromEntries(SERIES.map(({ name, event }) => [name, event ?? name])));

/**
 * Returns statistics of users by provider and resource: the times of the oldest and newest value, how many values were
 * sent in events, and the outcome of the last poll or pull. Reads the first and last time of a stream from the index.
 * Throws not_found for an unknown user_id in the query, and invalid_cursor.
 */
export async function introspectResources(ctx: TeamCtx, query: Static<typeof IntrospectQuery>): Promise<Page> {
  const { after, limit, provider } = await usersFrom(ctx, query);
  const { rows } = await sql<Row>`
    with shown as (
      select id from users
       where team_id = ${ctx.team.id} and deleted_at is null and id > ${after}
         and (${query.user_id ?? null}::uuid is null or id = ${query.user_id ?? null})
         and (exists (select from streams s where s.user_id = users.id
           and (${provider}::text is null or s.provider = ${provider}))
           or exists (select from summaries s where s.user_id = users.id
             and (${provider}::text is null or s.provider = ${provider})))
       order by id limit ${limit + 1}
    ), found as (
      select s.user_id, s.provider, coalesce(${EVENT_NAMES}::jsonb ->> s.resource, s.resource) as name,
        min(first.at) as oldest, max(last.at) as newest, sum(s.sent_count)::float8 as sent
        from shown join streams s on s.user_id = shown.id and s.team_id = ${ctx.team.id}
        left join lateral (select at from samples where stream_id = s.id order by at limit 1) as first on true
        left join lateral (select at from samples where stream_id = s.id order by at desc limit 1) as last on true
       group by 1, 2, 3
      union all
      select s.user_id, s.provider, s.resource as name, min(coalesce(s.start_at, s.created_at)),
        max(coalesce(s.start_at, s.created_at)),
             sum(s.rev + 1)::float8
        from shown join summaries s on s.user_id = shown.id and s.team_id = ${ctx.team.id}
       group by 1, 2, 3
    )
    select found.*, last.attempted_at, last.succeeded
      from found left join lateral (
        select (by_resource -> name ->> 'at')::timestamptz as attempted_at,
          (by_resource -> name ->> 'succeeded')::boolean as succeeded
          from polls where polls.user_id = found.user_id and polls.provider = found.provider
            and by_resource -> name is not null
        union all
        select ended_at, status = 'success' from pulls
         where pulls.user_id = found.user_id and pulls.provider = found.provider and pulls.resource = name
           and ended_at is not null
         order by attempted_at desc limit 1
      ) as last on true
     where ${provider}::text is null or found.provider = ${provider}
     order by user_id, provider, name limit ${ROWS_ASKED_FOR}`.execute(ctx.db);
  return toPage(rows, limit, (_, found) => Object.fromEntries(found.map((row) => [row.name, render(row)]))) as Page;
}

const render = ({ attempted_at, succeeded, oldest, newest, sent }: Row) => ({
  last_attempt: attempted_at === null ? null : { timestamp: attempted_at, status: succeeded ? 'success' : 'failure' },
  oldest_data: oldest,
  newest_data: newest,
  sent_count: sent,
});
