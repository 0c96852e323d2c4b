// Leases for pulling the newest data of a connection. Polls and the work on notifications both need this lease, so only
// one process at a time pulls.
import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { addJob, jobKind } from '../../db/define-job.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findUser, type UserRow } from '../../users/find.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../providers/provider-catalogue.ts';
import { isGone, type TimeWindow } from '../providers/importer.ts';

/** The job that polls the newest data of a connection. */
export const pollKind = jobKind({
  name: 'poll_connection',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, provider: oneOf(PROVIDER_SLUGS) }),
  key: ({ user_id, provider }) => `poll ${user_id} ${provider}`,
  ownerOf: ({ team_id }) => team_id,
});

/** The connection that a poll is for. */
export type Polled = Omit<Static<typeof pollKind.payload>, 'team_id'>;

/** A poll that this process has leased. */
export type Claim = {
  /** `leased_since` identifies the lease (a fencing token). A later lease of another process has another value. */
  poll: Polled & { leased_since: string };
  user: UserRow;
  connection: {
    provider: string;
    demo: boolean;
    granted_scopes: string[] | null;
    /** The team's own application that made the connection; null for this deployment's application. */
    credential_id: string | null;
    /**
     * True if no data of the connection is stored any more, because the user's last day of ingestion has passed. The
     * connection will be paused soon.
     */
    is_over: boolean;
  };
};

/**
 * The time of a lease in seconds. It is the longest time in which one resource may be pulled. If a process is killed,
 * another process takes the lease after this time.
 */
const LEASE_SECONDS = 360;

/**
 * Leases the poll of a connection. Returns null if another process has the lease, if the poll is not due (with
 * `whenDue`), or if nothing may be pulled.
 */
export async function claimPoll(
  ctx: TeamCtx,
  { user_id, provider }: Polled,
  { whenDue }: { whenDue: boolean },
): Promise<Claim | null> {
  const {
    rows: [row],
  } = await sql<Omit<Claim['connection'], 'provider'> & { leased_since: string }>`
    update polls set leased_since = clock_timestamp(), leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      from connections c, users u
     where polls.user_id = ${user_id} and polls.provider = ${provider} and polls.team_id = ${ctx.team.id}
       and (polls.due_at <= now() or not ${whenDue}) and (polls.leased_until is null or polls.leased_until < now())
       and c.user_id = polls.user_id and c.provider = polls.provider and c.status = 'connected'
       and u.id = polls.user_id and u.deleted_at is null
    returning c.demo, c.granted_scopes, c.credential_id, coalesce(c.pauses_at <= now(), false) as is_over,
      polls.leased_since::text as leased_since`.execute(ctx.db);
  if (!row) return null;
  const user = await findUser(ctx, user_id).catch((error: unknown) => {
    if (!isGone(error)) throw error;
    return null;
  });
  const { leased_since, ...connection } = row;
  return user && { poll: { user_id, provider, leased_since }, user, connection: { provider, ...connection } };
}

/**
 * Extends the lease, and records the outcome of one request for each of its resources: the start of the window, and how
 * many records were not stored. Returns false if another process has taken the lease. That process records its own
 * outcome.
 */
export async function extendPoll(
  { db, team }: TeamCtx,
  { poll }: Claim,
  {
    resources,
    window,
    succeeded,
    skipped,
  }: {
    resources: readonly string[];
    window: TimeWindow;
    succeeded: boolean;
    skipped: Record<string, Record<string, number>>;
  },
): Promise<boolean> {
  const { rows } = await sql`
    update polls
       set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}),
           by_resource = by_resource || (
             select jsonb_object_agg(resource, jsonb_strip_nulls(jsonb_build_object(
                      'at', leased_since, 'from', ${window.from}::text, 'succeeded', ${succeeded}::boolean, 'skipped',
                      ${JSON.stringify(skipped)}::jsonb -> resource)))
               from unnest(${resources}::text[]) as asked (resource))
     where user_id = ${poll.user_id} and provider = ${poll.provider} and team_id = ${team.id}
       and leased_since = ${poll.leased_since}::timestamptz
    returning user_id`.execute(db);
  return rows.length > 0;
}

/**
 * Ends the lease. If the poll has become due again meanwhile, for example by a refresh, queues another poll. The poll
 * that ends may have read the data too early.
 */
export function endPollLease(ctx: TeamCtx, { poll: { user_id, provider, leased_since } }: Claim): Promise<void> {
  return inTransaction(ctx, async ({ db, team }) => {
    const { rows } = await sql<{ due: boolean }>`
      update polls set leased_until = null
       where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
         and leased_since = ${leased_since}::timestamptz
      returning due_at <= now() as due`.execute(db);
    if (rows[0]?.due) await addJob(db, pollKind, { team_id: team.id, user_id, provider });
  });
}
