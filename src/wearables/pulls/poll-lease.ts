// One process at a time asks for the newest of a connection: a poll, or whoever looks where a notification says.
import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { findUser, type UserRow } from '../../users/find.ts';
import { isGone } from './puller.ts';

/** As long as a resource may take; whoever was killed meanwhile is followed by another. */
export const LEASE_SECONDS = 360;

/** A connection, as its poll names it. */
export type Polled = { user_id: string; provider: string };

/** A poll that is held. */
export type Claim = {
  poll: Polled;
  user: UserRow;
  connection: { provider: string; demo: boolean; granted_scopes: string[] | null };
};

/** Takes the poll of a connection for a while; null where somebody has it, it should be due and is not, or nothing may be pulled. */
export async function claimPoll(
  ctx: TeamCtx,
  { user_id, provider }: Polled,
  { whenDue }: { whenDue: boolean },
): Promise<Claim | null> {
  const {
    rows: [row],
  } = await sql<Omit<Claim['connection'], 'provider'>>`
    update polls set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      from connections c, users u
     where polls.user_id = ${user_id} and polls.provider = ${provider} and polls.team_id = ${ctx.team.id}
       and (polls.due_at <= now() or not ${whenDue}) and (polls.leased_until is null or polls.leased_until < now())
       and c.user_id = polls.user_id and c.provider = polls.provider and c.status = 'connected'
       and u.id = polls.user_id and u.deleted_at is null
    returning c.demo, c.granted_scopes`.execute(ctx.db);
  if (!row) return null;
  const user = await findUser(ctx, user_id).catch((error: unknown) => {
    if (!isGone(error)) throw error;
    return null;
  });
  return user && { poll: { user_id, provider }, user, connection: { provider, ...row } };
}

/** From now; 0: whoever asks next may have it. */
export async function holdUntil({ db, team }: TeamCtx, { user_id, provider }: Polled, seconds: number): Promise<void> {
  await sql`
    update polls set leased_until = now() + make_interval(secs => ${seconds}::float8)
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}`.execute(db);
}
