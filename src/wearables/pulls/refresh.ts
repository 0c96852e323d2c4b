import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { addJobs } from '../../db/define-job.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { findUser } from '../../users/find.ts';
import { pollKind } from './poll-lease.ts';
import type { ProviderSlug } from '../providers/provider-catalogue.ts';
import { importerOrNull } from './importers.ts';
import type { Refresh } from './schemas.ts';

const LOOK_MS = 250;
/**
 * The most refreshes of a team that wait in this process. A further refresh does not wait: it responds at once, with
 * the outcomes that are known by then.
 */
const MAX_WAITING = 4;

/** The users whose refreshes wait in this process, by team. */
const waiting = new Map<string, Set<string>>();

/**
 * Polls all connections of a user, and waits for the polls until the timeout. A poll that takes longer continues.
 * Throws nothing_to_refresh if the user has no connection to poll, and not_found or user_scheduled_for_deletion.
 *
 * Polls are jobs, which have their own limits. The request only looks whether they have ended. Only one refresh of a
 * user and MAX_WAITING refreshes of a team wait at a time.
 */
export async function refreshUser(
  ctx: TeamCtx,
  userId: string,
  timeoutSeconds: number,
): Promise<Static<typeof Refresh>> {
  const user = await findUser(ctx, userId);
  const providers = await pulledProviders(ctx, user.id);
  if (providers.length === 0) {
    const error = 'No connection of this user is pulled: the user has none, or only connections that push data.';
    throw new AppError('nothing_to_refresh', error, {
      fields: { success: false, user_id: user.id, error, failed_sources: [] },
    });
  }
  const asked = { user_id: user.id, providers, at: await askForPolls(ctx, user.id, providers) };
  const outcomes = await withWaitingPermit(ctx, user.id, (waits) => outcomesOf(ctx, asked, waits ? timeoutSeconds : 0));
  const by = (...wanted: (Outcome | null | undefined)[]): string[] =>
    providers.filter((provider) => wanted.includes(outcomes.get(provider)));
  return {
    success: true,
    user_id: user.id,
    refreshed_sources: by('refreshed'),
    in_progress_sources: by('put off', null),
    failed_sources: by('failed'),
  };
}

async function pulledProviders(ctx: TeamCtx, userId: string): Promise<string[]> {
  const connections = await ctx.db
    .selectFrom('connections')
    .select(['provider', 'demo', 'credential_id'])
    .where('user_id', '=', userId)
    .where('team_id', '=', ctx.team.id)
    .where('status', '=', 'connected')
    .orderBy('provider')
    .execute();
  return connections.filter((connection) => importerOrNull(ctx, connection)).map(({ provider }) => provider);
}

/**
 * The outcome of a poll. It is `put off` if the application has used up its requests at the provider. Then the poll
 * runs later.
 */
type Outcome = 'refreshed' | 'failed' | 'put off';
type RefreshRequest = { user_id: string; providers: string[]; at: string };

/**
 * Makes the polls due, and queues their jobs before those of regular polls. Returns the present time by the database's
 * clock.
 */
function askForPolls(ctx: TeamCtx, userId: string, providers: string[]): Promise<string> {
  return inTransaction(ctx, async ({ db, team }) => {
    const {
      rows: [asked],
    } = await sql<{ at: string; due: ProviderSlug[] }>`
      with due as (
        insert into polls (user_id, provider, team_id, due_at)
        select user_id, provider, team_id, now() from connections
         where user_id = ${userId} and provider = any (${providers}::text[]) and team_id = ${team.id}
           and status = 'connected'
         order by provider for key share
        on conflict (user_id, provider) do update set due_at = now()
        returning provider
      )
      select now()::text as at, (select coalesce(json_agg(provider), '[]') from due) as due`.execute(db);
    const { at, due } = asked as NonNullable<typeof asked>;
    const jobs = due.map((provider) => ({ payload: { team_id: team.id, user_id: userId, provider } }));
    await addJobs(db, pollKind, jobs);
    return at;
  });
}

/** Returns the outcome of each poll when all have ended or the time is over; null for a poll that has not ended. */
async function outcomesOf(ctx: TeamCtx, asked: RefreshRequest, seconds: number): Promise<Map<string, Outcome | null>> {
  const until = performance.now() + seconds * 1_000;
  for (;;) {
    const outcomes = await look(ctx, asked);
    const isOver = performance.now() >= until || (ctx.stopping?.aborted ?? false);
    if (isOver || ![...outcomes.values()].includes(null)) return outcomes;
    const pause = (): Promise<void> => wait(LOOK_MS);
    await (ctx.aside ? ctx.aside(pause) : pause());
  }
}

/**
 * Reads the outcomes of the polls. Ignores a poll that began before the request, because it may have missed new data.
 * If a connection has ended or is in error by now, its poll has failed.
 */
async function look(
  { db, team }: TeamCtx,
  { user_id, providers, at }: RefreshRequest,
): Promise<Map<string, Outcome | null>> {
  const { rows } = await sql<{ provider: string; outcome: Outcome | null }>`
    select asked.provider,
           case when polls.attempted_at >= ${at}::timestamptz then case when polls.succeeded then 'refreshed'
             else 'failed' end
                when c.status is distinct from 'connected' then 'failed'
                when polls.leased_since >= ${at}::timestamptz and polls.leased_until is null and polls.due_at > now()
                  then 'put off'
           end as outcome
      from unnest(${providers}::text[]) as asked (provider)
      left join connections c on c.user_id = ${user_id} and c.provider = asked.provider and c.team_id = ${team.id}
      left join polls on polls.user_id = ${user_id} and polls.provider = asked.provider
        and polls.team_id = ${team.id}`.execute(db);
  return new Map(rows.map(({ provider, outcome }) => [provider, outcome]));
}

/**
 * Runs `work`. `waits` is true if the refresh may wait: the team has fewer than MAX_WAITING waiting refreshes, and
 * none of this user waits.
 */
async function withWaitingPermit<T>(
  { team }: TeamCtx,
  userId: string,
  work: (waits: boolean) => Promise<T>,
): Promise<T> {
  const users = waiting.get(team.id) ?? new Set();
  if (users.size >= MAX_WAITING || users.has(userId)) return work(false);
  waiting.set(team.id, users.add(userId));
  try {
    return await work(true);
  } finally {
    users.delete(userId);
    if (users.size === 0) waiting.delete(team.id);
  }
}
