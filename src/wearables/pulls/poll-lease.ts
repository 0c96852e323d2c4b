// One process at a time asks for the newest of a connection: a poll, or whoever looks where a notification says.
import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { addJob, jobKind } from '../../db/define-job.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findUser, type UserRow } from '../../users/find.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../providers/catalogue.ts';
import { isGone, type Window } from '../providers/importer.ts';

/** The newest data of a connection. */
export const pollKind = jobKind({
  name: 'poll_connection',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, provider: oneOf(PROVIDER_SLUGS) }),
  key: ({ user_id, provider }) => `poll ${user_id} ${provider}`,
  placeOf: ({ team_id }) => team_id,
});

/** A connection, as its poll names it. */
export type Polled = Omit<Static<typeof pollKind.payload>, 'team_id'>;

/** A poll that is held. */
export type Claim = {
  /** `held_since` is the fence: whoever holds it later has another one. */
  poll: Polled & { held_since: string };
  user: UserRow;
  connection: {
    provider: string;
    demo: boolean;
    granted_scopes: string[] | null;
    /** The team's own application that it was made by; null: this deployment's. */
    credential_id: string | null;
    /** Nothing that it brings is kept any more: it is about to be paused. */
    is_over: boolean;
  };
};

/** As long as a resource may take; whoever was killed meanwhile is followed by another. */
const LEASE_SECONDS = 360;

/** Takes the poll of a connection for a while; null where somebody has it, it should be due and is not, or nothing may be pulled. */
export async function claimPoll(
  ctx: TeamCtx,
  { user_id, provider }: Polled,
  { whenDue }: { whenDue: boolean },
): Promise<Claim | null> {
  const {
    rows: [row],
  } = await sql<Omit<Claim['connection'], 'provider'> & { held_since: string }>`
    update polls set held_since = clock_timestamp(), leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      from connections c, users u
     where polls.user_id = ${user_id} and polls.provider = ${provider} and polls.team_id = ${ctx.team.id}
       and (polls.due_at <= now() or not ${whenDue}) and (polls.leased_until is null or polls.leased_until < now())
       and c.user_id = polls.user_id and c.provider = polls.provider and c.status = 'connected'
       and u.id = polls.user_id and u.deleted_at is null
    returning c.demo, c.granted_scopes, c.credential_id, coalesce(c.pauses_at <= now(), false) as is_over, polls.held_since::text as held_since`.execute(
    ctx.db,
  );
  if (!row) return null;
  const user = await findUser(ctx, user_id).catch((error: unknown) => {
    if (!isGone(error)) throw error;
    return null;
  });
  const { held_since, ...connection } = row;
  return user && { poll: { user_id, provider, held_since }, user, connection: { provider, ...connection } };
}

/**
 * Keeps the poll for as long again, and how resources went that were asked for at once, with where their window began and what was left
 * out of each; false where somebody else has it meanwhile, who writes what there is to tell.
 */
export async function holdPoll(
  { db, team }: TeamCtx,
  { poll }: Claim,
  {
    resources,
    window,
    succeeded,
    skipped,
  }: {
    resources: readonly string[];
    window: Window;
    succeeded: boolean;
    skipped: Record<string, Record<string, number>>;
  },
): Promise<boolean> {
  const { rows } = await sql`
    update polls
       set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}),
           by_resource = by_resource || (
             select jsonb_object_agg(resource, jsonb_strip_nulls(jsonb_build_object(
                      'at', held_since, 'from', ${window.from}::text, 'succeeded', ${succeeded}::boolean, 'skipped', ${JSON.stringify(skipped)}::jsonb -> resource)))
               from unnest(${resources}::text[]) as asked (resource))
     where user_id = ${poll.user_id} and provider = ${poll.provider} and team_id = ${team.id}
       and held_since = ${poll.held_since}::timestamptz
    returning user_id`.execute(db);
  return rows.length > 0;
}

/** Whoever asks next may have it. Who has asked meanwhile, as a refresh does, gets a poll that begins after that. */
export function letGo(ctx: TeamCtx, { poll: { user_id, provider, held_since } }: Claim): Promise<void> {
  return inTransaction(ctx, async ({ db, team }) => {
    const { rows } = await sql<{ due: boolean }>`
      update polls set leased_until = null
       where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
         and held_since = ${held_since}::timestamptz
      returning due_at <= now() as due`.execute(db);
    if (rows[0]?.due) await addJob(db, pollKind, { team_id: team.id, user_id, provider });
  });
}
