import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { seriesOrNull } from '../../resources.ts';
import { toPage, usersFrom } from './users.ts';
import type { IntrospectQuery, UserResources } from '../schemas.ts';

type Row = {
  user_id: string;
  provider: string;
  resource: string;
  oldest: string | null;
  newest: string | null;
  sent: number;
  attempted_at: string | null;
  succeeded: boolean | null;
};

type Page = Static<typeof UserResources>;

/**
 * What there is of users, by provider and resource: from when to when, how much of it events told of, and how the last pull
 * went. The ends of a stream are read from its key. Throws not_found for a user that is asked for, invalid_cursor.
 */
export async function introspectResources(ctx: TeamCtx, query: Static<typeof IntrospectQuery>): Promise<Page> {
  const { after, limit, provider } = await usersFrom(ctx, query);
  const { rows } = await sql<Row>`
    with shown as (
      select id from users
       where team_id = ${ctx.team.id} and deleted_at is null and id > ${after}
         and (${query.user_id ?? null}::uuid is null or id = ${query.user_id ?? null})
         and (exists (select from streams s where s.user_id = users.id and (${provider}::text is null or s.provider = ${provider}))
           or exists (select from summaries s where s.user_id = users.id and (${provider}::text is null or s.provider = ${provider})))
       order by id limit ${limit + 1}
    ), found as (
      select s.user_id, s.provider, s.resource, min(first.at) as oldest, max(last.at) as newest, sum(s.sent_count)::float8 as sent
        from shown join streams s on s.user_id = shown.id and s.team_id = ${ctx.team.id}
        left join lateral (select at from samples where stream_id = s.id order by at limit 1) as first on true
        left join lateral (select at from samples where stream_id = s.id order by at desc limit 1) as last on true
       group by 1, 2, 3
      union all
      select s.user_id, s.provider, s.resource, min(coalesce(s.start_at, s.created_at)), max(coalesce(s.start_at, s.created_at)),
             sum(s.rev + 1)::float8
        from shown join summaries s on s.user_id = shown.id and s.team_id = ${ctx.team.id}
       group by 1, 2, 3
    )
    select found.*, coalesce(polls.attempted_at, past.ended_at) as attempted_at, coalesce(polls.succeeded, past.succeeded) as succeeded
      from found left join polls on polls.user_id = found.user_id and polls.provider = found.provider
      left join lateral (
        select ended_at, status = 'success' as succeeded from pulls
         where pulls.user_id = found.user_id and pulls.provider = found.provider and ended_at is not null
         order by ended_at desc limit 1
      ) as past on true
     where ${provider}::text is null or found.provider = ${provider}
     order by user_id, provider, resource`.execute(ctx.db);
  return toPage(rows, limit, (_, found) =>
    Object.fromEntries(found.map((row) => [seriesOrNull(row.resource)?.event ?? row.resource, render(row)])),
  ) as Page;
}

const render = ({ attempted_at, succeeded, oldest, newest, sent }: Row) => ({
  last_attempt: attempted_at === null ? null : { timestamp: attempted_at, status: succeeded ? 'success' : 'failure' },
  oldest_data: oldest,
  newest_data: newest,
  sent_count: sent,
});
