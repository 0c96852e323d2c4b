import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx, TeamCtx } from '../../../context.ts';
import { addJobs } from '../../../db/define-job.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { configuredOrNull, type Configured } from '../applications/configured.ts';
import { getValidToken } from '../tokens/valid-token.ts';
import { ProviderRefused, ProviderUnavailable } from '../../providers/provider-errors.ts';
import { hookAddress, hookBase, isReachable } from '../applications/hook-address.ts';
import { askInName, isTokenRefused } from '../applications/ask-provider.ts';
import { FIRST_WAIT_SECONDS, LOOK_SECONDS } from './ensure-application-subscriptions.ts';
import { userSubscriberOrNull } from '../../providers/registry.ts';
import type { Ask } from '../../providers/subscriber.ts';
import { subscriptionKind } from './subscribe-user.ts';
import { hookTokenOf } from '../../providers/notification-reader.ts';

type Job = Static<(typeof subscriptionKind)['payload']>;

const LEASE_SECONDS = 300;
/** The most subscriptions that one run handles. The next run is a minute later. */
const MOST = 1_000;
const MAX_A_TEAM = 100;

/**
 * Queues jobs for the subscriptions that are due. Each team gets a share of them. The subscriptions that are longest
 * overdue come first. Job keys prevent duplicate jobs.
 */
export async function askForUserSubscriptions(ctx: Ctx): Promise<void> {
  await inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows } = await sql<Job & { position: number }>`
      select team_id, user_id, provider, position::integer
        from (
          select due.*, row_number() over (partition by team_id order by due_at) as position
            from teams cross join lateral (
              select team_id, user_id, provider, due_at from user_subscriptions
               where ${isReachable(ctx.config)} and team_id = teams.id and due_at <= now()
                 and (leased_until is null or leased_until < now())
               order by due_at limit ${MAX_A_TEAM}) as due
        ) as positioned
       order by position, due_at limit ${MOST}`.execute(db);
    const jobs = rows.map(({ position, ...payload }) => ({
      payload,
      behind: position,
      shouldPreserveRunAt: true as const,
    }));
    await addJobs(db, subscriptionKind, jobs);
  });
}

/** Subscribes to a provider's notifications about one user. Does nothing if another process has the lease. */
export async function ensureUserSubscription(ctx: TeamCtx, job: Job): Promise<void> {
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
  let isEnsured = false;
  try {
    await subscriber.ensure(askInNameOf(ctx, configured, job), here, claim.granted_scopes);
    isEnsured = true;
  } catch (error) {
    if (!(error instanceof ProviderRefused || error instanceof ProviderUnavailable)) throw error;
    const { code } = error;
    ctx.log.warn(
      { provider: job.provider, code },
      'a provider was not subscribed to for a user: new data comes by polls',
    );
  } finally {
    await endLease(ctx, job, claim.lease, isEnsured);
  }
}

/**
 * Returns a function that sends a request with the user's access token. If the provider refuses the token, the function
 * gets a new token and sends the request once more.
 */
function askInNameOf(ctx: TeamCtx, configured: Configured, job: Job): Ask {
  return async (question) => {
    let refused: string | undefined;
    for (;;) {
      const token = await getValidToken(ctx, job, refused);
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

/**
 * Takes the lease of the subscription. Returns null if another process has the lease, or if the subscription is not
 * due.
 */
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

/**
 * Ends the lease and sets the time of the next check. The check fails for a connection in error, and for a user who is
 * scheduled for deletion. It is tried again later, because such a connection may become active again.
 */
async function endLease(
  { db, team }: TeamCtx,
  { user_id, provider }: Job,
  lease: string,
  isEnsured: boolean,
): Promise<void> {
  await sql`
    update user_subscriptions
       set leased_until = null, failures = case when ${isEnsured} then 0 else failures + 1 end,
           due_at = now() + make_interval(secs => case when ${isEnsured} then ${LOOK_SECONDS}
             else least(${FIRST_WAIT_SECONDS} * power(2, least(failures, 20)), ${LOOK_SECONDS}) end)
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
       and leased_until = ${lease}::timestamptz`.execute(db);
}
