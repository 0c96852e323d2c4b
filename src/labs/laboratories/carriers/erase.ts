import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';

/** A parcel may be scanned before the laboratory has told its number. */
const UNKNOWN_DAYS = 14;
/** What was scanned of a parcel is looked at with each new scan, for as long as a parcel travels. */
const KEPT_DAYS = 60;

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
     where received_at < now() - make_interval(days => ${KEPT_DAYS})
        or (not is_known and received_at < now() - make_interval(days => ${UNKNOWN_DAYS}))`.execute(db);
}
