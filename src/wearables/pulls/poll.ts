import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import type { Ctx, TeamCtx } from '../../context.ts';
import { jobKind } from '../../db/define-job.ts';
import { findTeamScope, forTeam } from '../../tenancy/teams/scope.ts';
import { findUser, type UserRow } from '../../users/find.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../providers.ts';
import { isGone, PullError, type Puller } from './puller.ts';
import { grantedResources, pullerOrNull } from './pullers.ts';
import { storePulled } from './store-pulled.ts';

/** The newest data of a connection. */
export const pollKind = jobKind({
  name: 'poll_connection',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, provider: oneOf(PROVIDER_SLUGS) }),
});

const DAY_MS = 86_400_000;
/** As long as a resource may take; whoever was killed meanwhile is followed by another. */
const LEASE_SECONDS = 360;
/** Between looks at a connection to a provider that is not configured any more. */
const WITHOUT_PROVIDER_SECONDS = 3_600;

type Job = Static<(typeof pollKind)['payload']>;
type Outcome = { succeeded: boolean; wait: number; every: number };

/** Polls a connection that is due, unless somebody does already. */
export async function pollConnection(ctx: Ctx, job: Job): Promise<void> {
  const team = await findTeamScope(ctx, job.team_id);
  if (!team) return;
  const scoped = forTeam(ctx, team);
  const claim = await claimPoll(scoped, job);
  if (!claim) return;
  const outcome = await poll(scoped, job, claim);
  await (outcome ? finish(scoped, job, outcome) : holdUntil(scoped, job, 0));
}

/** Everything that the connection brings. */
async function poll(ctx: TeamCtx, job: Job, { user, connection }: Claim): Promise<Outcome | null> {
  const puller = pullerOrNull(ctx, connection);
  if (!puller) return { succeeded: false, wait: 0, every: WITHOUT_PROVIDER_SECONDS };
  const resources = grantedResources(puller, connection).filter((name) => puller.resources[name]?.polled !== false);
  const outcome = await pullNewest(ctx, user, {
    puller,
    resources,
    between: () => holdUntil(ctx, job, LEASE_SECONDS),
  });
  return outcome && { ...outcome, every: puller.pollEverySeconds };
}

/**
 * Pulls the last days of these resources, with `between` after each; unchanged values are told of to nobody. Whether all of
 * it came, and the seconds for which the provider takes no more; null where the user is gone or the process stops.
 */
export async function pullNewest(
  ctx: TeamCtx,
  user: UserRow,
  { puller, resources, between }: { puller: Puller; resources: string[]; between?: () => Promise<void> },
): Promise<{ succeeded: boolean; wait: number } | null> {
  const now = Date.now();
  const window = { from: startOfDay(now - puller.pollDays * DAY_MS), to: new Date(now).toISOString() };
  let succeeded = true;
  for (const resource of resources) {
    try {
      await storePulled(ctx, user, puller, { resource, window, past: false });
    } catch (error) {
      if (isGone(error) || ctx.stopping?.aborted) return null;
      succeeded = false;
      if (!(error instanceof PullError)) ctx.log.error({ err: error, resource }, 'a poll failed');
      else if (error.group === 'provider_rate_limit_exceeded') return { succeeded, wait: error.retryAfterSeconds ?? 0 };
    }
    await between?.();
  }
  return { succeeded, wait: 0 };
}

type Claim = { user: UserRow; connection: { provider: string; demo: boolean; granted_scopes: string[] | null } };

/** Takes a poll that is due for a while; null where somebody has it, it is not due, or nothing may be pulled. */
async function claimPoll(ctx: TeamCtx, { user_id, provider }: Job): Promise<Claim | null> {
  const {
    rows: [row],
  } = await sql<Omit<Claim['connection'], 'provider'>>`
    update polls set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      from connections c, users u
     where polls.user_id = ${user_id} and polls.provider = ${provider} and polls.team_id = ${ctx.team.id}
       and polls.due_at <= now() and (polls.leased_until is null or polls.leased_until < now())
       and c.user_id = polls.user_id and c.provider = polls.provider and c.status = 'connected'
       and u.id = polls.user_id and u.deleted_at is null
    returning c.demo, c.granted_scopes`.execute(ctx.db);
  if (!row) return null;
  const user = await findUser(ctx, user_id).catch((error: unknown) => {
    if (!isGone(error)) throw error;
    return null;
  });
  return user && { user, connection: { provider, ...row } };
}

/** From now; 0: whoever asks next may have it. */
async function holdUntil({ db, team }: TeamCtx, { user_id, provider }: Job, seconds: number): Promise<void> {
  await sql`
    update polls set leased_until = now() + make_interval(secs => ${seconds}::float8)
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}`.execute(db);
}

/** What fails is asked for again later and later; a connection that brings nothing any more is asked for no more. */
async function finish(
  { db, team }: TeamCtx,
  { user_id, provider }: Job,
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

const startOfDay = (at: number): string => `${new Date(at).toISOString().slice(0, 10)}T00:00:00.000Z`;
