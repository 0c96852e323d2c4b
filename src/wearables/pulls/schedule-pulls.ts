import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { addJobs, jobKind } from '../../db/define-job.ts';
import { newId } from '../../ids.ts';
import type { UserRow } from '../../users/find.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import { DAY_ENDS_HOURS } from '../../users/ingestion-bounds.ts';
import { PROVIDER_SLUGS, type ProviderSlug } from '../providers/provider-catalogue.ts';
import { PULLED_NAMES } from './events.ts';
import { findHistoryDays } from './preferences/find-history-days.ts';
import { grantedResources, importerOrNull } from './importers.ts';
import { groupByRequest } from './companions.ts';

/** The job that pulls one window of the past. */
export const pullKind = jobKind({
  name: 'pull_window',
  payload: Type.Object({
    team_id: Uuid,
    user_id: Uuid,
    provider: oneOf(PROVIDER_SLUGS),
    resource: oneOf(PULLED_NAMES),
  }),
  key: ({ user_id, provider, resource }) => `pull ${user_id} ${provider} ${resource}`,
  class: 'pulls',
});

const MAX_COUNTED = 200;

/**
 * Schedules a pull of the past for each resource that the user has granted, and polls from now on. A pull covers the
 * provider's history days, within the user's ingestion dates. A pull without days ends at once, with its event. Earlier
 * pulls of the connection start again. Call it in the transaction that makes the connection.
 */
export async function schedulePulls(
  ctx: TxCtx<TeamCtx>,
  user: Pick<UserRow, 'id' | 'ingestion_start' | 'ingestion_end'>,
  connection: {
    provider: ProviderSlug;
    demo: boolean;
    granted_scopes: readonly string[] | null;
    /** The team's own application that made the connection; null for this deployment's application. */
    credential_id: string | null;
  },
  { days }: { days?: number } = {},
): Promise<void> {
  const importer = importerOrNull(ctx, connection);
  if (!importer) return;
  const { provider } = connection;
  const resources = grantedResources(importer, connection);
  const { ofResource } = days === undefined ? await findHistoryDays(ctx, provider) : { ofResource: () => days };
  await sql`
    insert into pulls (user_id, provider, resource, team_id, status, range_start, range_end, pulled_from, trace_id)
    select ${user.id}, ${provider}, resource, ${ctx.team.id}, 'scheduled', least(first, until), until, until, trace_id
      from unnest(${resources}::text[], ${resources.map(() => newId())}::uuid[],
        ${resources.map(ofResource)}::integer[]) as r (resource, trace_id, days)
     cross join lateral (
             select greatest(date_trunc('day', now()) - make_interval(days => days),
                             ${user.ingestion_start}::date) as first,
                    least(now(), ${user.ingestion_end}::date + make_interval(hours => ${DAY_ENDS_HOURS})) as until
             ) as range
    on conflict (user_id, provider, resource) do update
      set status = 'scheduled', range_start = excluded.range_start, range_end = excluded.range_end,
          pulled_from = excluded.pulled_from,
          days_with_data = 0, skipped = '{}', attempts = 0, error_details = null, trace_id = excluded.trace_id,
          due_at = now(),
          leased_until = null, scheduled_at = now(), started_at = null, ended_at = null`.execute(ctx.db);
  await sql`
    insert into polls (user_id, provider, team_id, due_at)
    values (${user.id}, ${provider}, ${ctx.team.id}, now() + make_interval(secs => ${importer.pollEverySeconds}))
    on conflict (user_id, provider) do update set due_at = excluded.due_at, failures = 0`.execute(ctx.db);
  // One job pulls the lead and the resources that come with it. If the pull of such a resource has another range than
  // the pull of the lead, it needs a job of its own.
  const jobs = groupByRequest(importer, resources).flatMap(([lead, ...others]) => [
    lead as string,
    ...others.filter((name) => ofResource(name) !== ofResource(lead as string)),
  ]);
  await addPullJobs(ctx, { user_id: user.id, provider }, jobs);
}

/**
 * Queues a job for the next window of each of these pulls. Organisations and teams with fewer running pulls come first.
 */
export async function addPullJobs(
  { db, team }: TxCtx<TeamCtx>,
  { user_id, provider }: { user_id: string; provider: ProviderSlug },
  resources: string[],
  delaySeconds = 0,
): Promise<void> {
  const {
    rows: [under],
  } = await sql<{ way: number }>`
    select count(*)::integer + pulls_under_way_of_org(${team.id}, ${MAX_COUNTED}) as way from (
      select from pulls where team_id = ${team.id} and ended_at is null limit ${MAX_COUNTED}) as counted`.execute(db);
  const behind = under?.way ?? 2 * MAX_COUNTED;
  const jobs = resources.map((resource) => ({
    payload: { team_id: team.id, user_id, provider, resource },
    delaySeconds,
    behind,
  }));
  await addJobs(db, pullKind, jobs);
}
