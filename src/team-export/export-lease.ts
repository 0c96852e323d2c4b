import { sql } from 'kysely';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { AppError, StreamEnded } from '../errors.ts';
import { Threshold } from '../fair/threshold.ts';
import { newId } from '../ids.ts';

/**
 * The most exports at the same time in one process. One organisation alone can have two of them. Another organisation
 * can start an export as long as not all are in use.
 */
const MAX_EXPORTS = 8;
/** The value of Retry-After. An export takes seconds or minutes. */
const AGAIN_SECONDS = 30;

const permits = new Threshold(MAX_EXPORTS);

/** The lease ends after this time if nobody renews it, for example because the client stopped reading. */
const LEASE_SECONDS = 60;

/**
 * Takes a permit of the organisation until the client has read the response or has disconnected. Exports are limited,
 * because an export decrypts every value of its team, and keeps a page in memory until the client has read it. Throws
 * not_ready if the organisation has its share of permits.
 */
export function takePermit({ team, gone }: TeamCtx): void {
  if (!gone || gone.aborted) return;
  // A team can have only one export at a time. So we share permits by organisation only.
  const owner = { org: team.org_id, team: team.org_id };
  if (!permits.take(owner)) {
    throw new AppError(
      'not_ready',
      'Too many exports run in this process, of this organisation or of all. Request this one again when one ' +
        'has ended.',
      { retryAfterSeconds: AGAIN_SECONDS },
    );
  }
  gone.addEventListener('abort', () => permits.release(owner), { once: true });
}

/**
 * Starts an export of the team or of one user, and writes its audit line. Throws export_running if another export of
 * the team is running.
 */
export function beginExport(ctx: TeamCtx, userId: string | null = null): Promise<string> {
  return inTransaction(ctx, async (tx) => {
    const { team } = tx;
    const id = newId();
    const { rows } = await sql`
      insert into team_exports (team_id, id, leased_until)
      values (${team.id}, ${id}, now() + make_interval(secs => ${LEASE_SECONDS}))
      on conflict (team_id) do update set id = excluded.id, leased_until = excluded.leased_until
        where team_exports.leased_until < now()
      returning id`.execute(tx.db);
    if (rows.length === 0) {
      throw new AppError(
        'export_running',
        'An export of this team is running. Wait for its end, or for a minute after it was cut off.',
      );
    }
    await recordAudit(tx, {
      org_id: team.org_id,
      team_id: team.id,
      action: 'team.export_began',
      actor: 'management_key',
      records: userId === null ? [id] : [id, userId],
    });
    return id;
  });
}

/** Renews the lease. Throws if the lease was lost or the team was deleted. */
export async function renewExport({ db, team }: TeamCtx, id: string): Promise<void> {
  const { rows } = await sql`
    update team_exports set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where team_id = ${team.id} and id = ${id}
       and exists (select from teams where teams.id = ${team.id} and deleted_at is null) returning id`.execute(db);
  if (rows.length === 0) throw new StreamEnded('overtaken');
}

export async function endExport({ db, team }: TeamCtx, id: string): Promise<void> {
  await db.deleteFrom('team_exports').where('team_id', '=', team.id).where('id', '=', id).execute();
}
