import { sql } from 'kysely';
import { recordAudit } from '../audit/record.ts';
import type { TeamCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { AppError, StreamEnded } from '../errors.ts';
import { Threshold } from '../fair/threshold.ts';
import { newId } from '../ids.ts';

/** Under way in this process, of which an organisation alone has two and another always finds one until all are taken. */
const MOST_EXPORTS = 8;
/** An export lasts for seconds or minutes. */
const AGAIN_SECONDS = 30;

const places = new Threshold(MOST_EXPORTS);

/** Of one that is not renewed, as when its reader has stopped reading. */
const LEASE_SECONDS = 60;

/**
 * Takes a place of the organisation's, until nobody reads the answer any more. Throws not_ready where it has its share of them:
 * an export opens every sealed value of its team, and its page is in memory until its reader has taken it.
 */
export function takePlace({ team, gone }: TeamCtx): void {
  if (!gone || gone.aborted) return;
  // A team has one under way at a time: organisations share them out.
  const owner = { org: team.org_id, team: team.org_id };
  if (!places.take(owner)) {
    throw new AppError(
      'not_ready',
      'Other exports of this organisation, or too many of all, are under way here. Ask for this one again when one has ended.',
      { retryAfterSeconds: AGAIN_SECONDS },
    );
  }
  gone.addEventListener('abort', () => places.giveBack(owner), { once: true });
}

/** Begins an export, and says so in the audit log. Throws export_running while another one of the team is under way. */
export function beginExport(ctx: TeamCtx): Promise<string> {
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
        'An export of this team is under way. Wait for its end, or a minute after it was cut off.',
      );
    }
    await recordAudit(tx, {
      org_id: team.org_id,
      team_id: team.id,
      action: 'team.export_began',
      actor: 'management_key',
      records: [id],
    });
    return id;
  });
}

/** Throws where the lease was lost, or the team has been deleted meanwhile. */
export async function keepExport({ db, team }: TeamCtx, id: string): Promise<void> {
  const { rows } = await sql`
    update team_exports set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where team_id = ${team.id} and id = ${id}
       and exists (select from teams where teams.id = ${team.id} and deleted_at is null) returning id`.execute(db);
  if (rows.length === 0) throw new StreamEnded('overtaken');
}

export async function endExport({ db, team }: TeamCtx, id: string): Promise<void> {
  await db.deleteFrom('team_exports').where('team_id', '=', team.id).where('id', '=', id).execute();
}
