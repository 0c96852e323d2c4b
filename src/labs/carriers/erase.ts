import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';

/**
 * Days for which we store scans of a parcel that we do not know. A carrier may scan a parcel before the laboratory
 * reports the parcel's tracking number.
 */
const UNKNOWN_DAYS = 14;
/**
 * Days for which we store the scans of a known parcel. We compare each new scan with the parcel's earlier scans, so
 * this is longer than any parcel travels.
 */
const RETENTION_DAYS = 60;

export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await sql`
    delete from carrier_scans where number_hash in (
      select number_hash from tracking_numbers where user_id = ${user.id} and team_id = ${team.id})`.execute(db);
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await sql`
    delete from carrier_scans where number_hash in (
      select number_hash from tracking_numbers where team_id = ${team.id})`.execute(db);
}

export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`
    delete from carrier_scans
     where received_at < now() - make_interval(days => ${RETENTION_DAYS})
        or (not is_known and received_at < now() - make_interval(days => ${UNKNOWN_DAYS}))`.execute(db);
}
