import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { VERSION } from '../../../package-root.ts';
import { skippedOf } from '../../connections/connection-progress.ts';
import { ROWS_ASKED_FOR, toPage, usersFrom } from './introspect-users.ts';
import { importerOrNull } from '../importers.ts';
import type { HistoricalPulls, IntrospectQuery } from '../schemas.ts';

type Row = {
  user_id: string;
  provider: string;
  demo: boolean | null;
  credential_id: string | null;
  resource: string;
  status: string;
  range_start: string;
  range_end: string;
  scheduled_at: string;
  started_at: string | null;
  ended_at: string | null;
  days_with_data: number;
  skipped: Record<string, number>;
  trace_id: string;
  error_details: string | null;
};

type Page = Static<typeof HistoricalPulls>;

/**
 * Returns the pulls of users with their progress, by provider and resource. Throws not_found for an unknown user_id in
 * the query, and invalid_cursor.
 */
export async function introspectPulls(ctx: TeamCtx, query: Static<typeof IntrospectQuery>): Promise<Page> {
  const { after, limit, provider } = await usersFrom(ctx, query);
  const { rows } = await sql<Row>`
    with shown as (
      select id from users
       where team_id = ${ctx.team.id} and deleted_at is null and id > ${after}
         and (${query.user_id ?? null}::uuid is null or id = ${query.user_id ?? null})
         and exists (select from pulls where pulls.user_id = users.id and pulls.team_id = ${ctx.team.id}
                        and (${provider}::text is null or pulls.provider = ${provider}))
       order by id limit ${limit + 1}
    )
    select p.user_id, p.provider, c.demo, c.credential_id, p.resource, p.status, p.range_start, p.range_end,
      p.scheduled_at, p.started_at,
           p.ended_at, p.days_with_data, p.skipped, p.trace_id, p.error_details
      from shown join pulls p on p.user_id = shown.id and p.team_id = ${ctx.team.id}
      left join connections c on c.user_id = p.user_id and c.provider = p.provider
     where ${provider}::text is null or p.provider = ${provider}
     order by p.user_id, p.provider, p.resource limit ${ROWS_ASKED_FOR}`.execute(ctx.db);
  return toPage(rows, limit, (provider, pulls) => renderProvider(ctx, provider, pulls)) as Page;
}

function renderProvider(ctx: TeamCtx, provider: string, pulls: Row[]) {
  const { demo, credential_id = null } = pulls[0] ?? {};
  const importer = importerOrNull(ctx, { provider, demo: demo ?? false, credential_id });
  const pulled = new Set(pulls.map(({ resource }) => resource));
  return {
    pulled: Object.fromEntries(
      pulls.map(({ resource, scheduled_at, started_at, ended_at, status, range_start, range_end, ...rest }) => [
        resource,
        {
          status,
          range_start,
          range_end,
          timeline: { scheduled_at, started_at, ended_at },
          days_with_data: rest.days_with_data,
          skipped: skippedOf(rest.skipped),
          release: VERSION,
          trace_id: rest.trace_id,
          error_details: rest.error_details,
        },
      ]),
    ),
    not_pulled: Object.keys(importer?.resources ?? {}).filter((resource) => !pulled.has(resource)),
  };
}
