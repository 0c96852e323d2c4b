import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, TeamCtx } from '../../context.ts';
import { jobKind } from '../../db/define-job.ts';
import { findTeamScope, forTeam } from '../../tenancy/teams/scope.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../providers.ts';
import { claimPoll, holdUntil, LEASE_SECONDS, type Claim, type Polled } from './poll-lease.ts';
import { isGone, PullError, type Puller, type Window } from './puller.ts';
import { grantedResources, pullerOrNull } from './pullers.ts';
import { storePulled, type Stored } from './store-pulled.ts';

/** The newest data of a connection. */
export const pollKind = jobKind({
  name: 'poll_connection',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, provider: oneOf(PROVIDER_SLUGS) }),
});

const DAY_MS = 86_400_000;
/** Between looks at a connection to a provider that is not configured any more. */
const WITHOUT_PROVIDER_SECONDS = 3_600;

type Outcome = { succeeded: boolean; wait: number; every: number };

/** Polls a connection that is due, unless somebody does already. */
export async function pollConnection(ctx: Ctx, job: Polled & { team_id: string }): Promise<void> {
  const team = await findTeamScope(ctx, job.team_id);
  if (!team) return;
  const scoped = forTeam(ctx, team);
  const claim = await claimPoll(scoped, job, { whenDue: true });
  if (!claim) return;
  const outcome = await poll(scoped, claim);
  await (outcome ? finish(scoped, job, outcome) : holdUntil(scoped, job, 0));
}

/** Everything that the connection brings. */
async function poll(ctx: TeamCtx, claim: Claim): Promise<Outcome | null> {
  const puller = pullerOrNull(ctx, claim.connection);
  if (!puller) return { succeeded: false, wait: 0, every: WITHOUT_PROVIDER_SECONDS };
  const resources = grantedResources(puller, claim.connection).filter(
    (name) => puller.resources[name]?.polled !== false,
  );
  const windows = resources.map((resource) => ({ resource, window: lastDays(puller) }));
  const outcome = await pullWindows(ctx, claim, { puller, windows });
  return outcome && { ...outcome, every: puller.pollEverySeconds };
}

/** The days that polls pull again. */
export function lastDays({ pollDays }: Puller): Window {
  const now = Date.now();
  return {
    from: `${new Date(now - pollDays * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000Z`,
    to: new Date(now).toISOString(),
  };
}

/**
 * Pulls these windows of resources, by who holds the connection's poll; unchanged values are told of to nobody.
 * `stored` hears of each that came whole. Whether all of it came, and the seconds for which the provider takes no more;
 * null where the user is gone or the process stops.
 */
export async function pullWindows<T extends { resource: string; window: Window }>(
  ctx: TeamCtx,
  claim: Claim,
  { puller, windows, stored }: { puller: Puller; windows: T[]; stored?: (asked: T, what: Stored) => Promise<void> },
): Promise<{ succeeded: boolean; wait: number } | null> {
  let succeeded = true;
  for (const asked of windows) {
    const { resource, window } = asked;
    try {
      const what = await storePulled(ctx, claim.user, puller, { resource, window, past: false });
      await stored?.(asked, what);
    } catch (error) {
      if (isGone(error) || ctx.stopping?.aborted) return null;
      succeeded = false;
      if (!(error instanceof PullError)) ctx.log.error({ err: error, resource }, 'a poll failed');
      else if (error.group === 'provider_rate_limit_exceeded') return { succeeded, wait: error.retryAfterSeconds ?? 0 };
    }
    await holdUntil(ctx, claim.poll, LEASE_SECONDS);
  }
  return { succeeded, wait: 0 };
}

/** What fails is asked for again later and later; a connection that brings nothing any more is asked for no more. */
async function finish(
  { db, team }: TeamCtx,
  { user_id, provider }: Polled,
  { succeeded, wait, every }: Outcome,
): Promise<void> {
  await sql`
    update polls
       set attempted_at = now(), succeeded = ${succeeded}, failures = case when ${succeeded} then 0 else failures + 1 end,
           leased_until = null,
           due_at = case when due_at = 'infinity' then due_at else now() + make_interval(secs => greatest(${wait}::float8,
             ${every} * (1 + case when ${succeeded} then 0 else least(failures, 8) end))) end
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}`.execute(db);
}
