import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx, TeamCtx } from '../../../context.ts';
import { addJobs } from '../../../db/define-job.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { configuredOrNull, type Configured } from '../applications/configured.ts';
import { freshToken } from '../tokens/fresh-token.ts';
import { ProviderRefused, ProviderUnavailable } from '../../providers/provider-errors.ts';
import { hookAddress, hookBase, isReachable } from './address.ts';
import { askInName, isTokenRefused } from './ask-provider.ts';
import { FIRST_WAIT_SECONDS, LOOK_SECONDS } from './keep-application.ts';
import { userSubscriberOrNull } from '../../providers/registry.ts';
import type { Ask } from '../../providers/subscriber.ts';
import { subscriptionKind } from './subscribe-user.ts';
import { hookTokenOf } from '../../providers/notifier.ts';

type Job = Static<(typeof subscriptionKind)['payload']>;

const LEASE_SECONDS = 300;
/** Of one run; the next one is a minute away. */
const MOST = 1_000;
const MOST_A_TEAM = 100;

/** Asks for what is due: of each team a share, the longest overdue first. Keys keep jobs from gathering. */
export async function askForUserSubscriptions(ctx: Ctx): Promise<void> {
  await inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows } = await sql<Job & { place: number }>`
      select team_id, user_id, provider, place::integer
        from (
          select due.*, row_number() over (partition by team_id order by due_at) as place
            from teams cross join lateral (
              select team_id, user_id, provider, due_at from user_subscriptions
               where ${isReachable(ctx.config)} and team_id = teams.id and due_at <= now() and (leased_until is null or leased_until < now())
               order by due_at limit ${MOST_A_TEAM}) as due
        ) as placed
       order by place, due_at limit ${MOST}`.execute(db);
    const jobs = rows.map(({ place, ...payload }) => ({ payload, behind: place, keepsMoment: true as const }));
    await addJobs(db, subscriptionKind, jobs);
  });
}

/** Has a provider tell of the news of one user, unless somebody sees to it already. */
export async function keepUserSubscription(ctx: TeamCtx, job: Job): Promise<void> {
  const subscriber = userSubscriberOrNull(job.provider);
  const configured = configuredOrNull(ctx.config, job.provider);
  const address = subscriber && configured && hookAddress(ctx.config, configured, subscriber.signs);
  if (!subscriber || !configured || !address) return;
  const claim = await takeLease(ctx, job);
  if (!claim) return;
  const here = {
    address,
    base: hookBase(ctx.config, job.provider),
    token: hookTokenOf(configured.client.secret.reveal()),
  };
  let isKept = false;
  try {
    await subscriber.keep(askInNameOf(ctx, configured, job), here, claim.granted_scopes);
    isKept = true;
  } catch (error) {
    if (!(error instanceof ProviderRefused || error instanceof ProviderUnavailable)) throw error;
    const { code } = error;
    ctx.log.warn({ provider: job.provider, code }, 'a provider was not subscribed to for a user: news come by polls');
  } finally {
    await endLease(ctx, job, claim.lease, isKept);
  }
}

/** Of a token that is refused another one is asked for, once. */
function askInNameOf(ctx: TeamCtx, configured: Configured, job: Job): Ask {
  return async (question) => {
    let refused: string | undefined;
    for (;;) {
      const token = await freshToken(ctx, job, refused);
      if (token === null) throw new ProviderRefused('not_connected');
      try {
        return await askInName(ctx.config, configured, token, question);
      } catch (error) {
        if (refused !== undefined || !isTokenRefused(error)) throw error;
        refused = token;
      }
    }
  };
}

/** Null where somebody has it, or it is not due. */
async function takeLease(
  { db, team }: TeamCtx,
  { user_id, provider }: Job,
): Promise<{ lease: string; granted_scopes: string[] | null } | null> {
  const { rows } = await sql<{ lease: string; granted_scopes: string[] | null }>`
    update user_subscriptions s set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      from connections c
     where s.user_id = ${user_id} and s.provider = ${provider} and s.team_id = ${team.id} and s.due_at <= now()
       and (s.leased_until is null or s.leased_until < now()) and c.user_id = s.user_id and c.provider = s.provider
    returning s.leased_until::text as lease, c.granted_scopes`.execute(db);
  return rows[0] ?? null;
}

/** A connection that is in error, or whose user is leaving, is looked at again as one that failed: it may come back. */
async function endLease(
  { db, team }: TeamCtx,
  { user_id, provider }: Job,
  lease: string,
  isKept: boolean,
): Promise<void> {
  await sql`
    update user_subscriptions
       set leased_until = null, failures = case when ${isKept} then 0 else failures + 1 end,
           due_at = now() + make_interval(secs => case when ${isKept} then ${LOOK_SECONDS}
             else least(${FIRST_WAIT_SECONDS} * power(2, least(failures, 20)), ${LOOK_SECONDS}) end)
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
       and leased_until = ${lease}::timestamptz`.execute(db);
}
