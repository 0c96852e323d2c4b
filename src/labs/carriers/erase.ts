import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';

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

/**
 * Deletes old scans, and scans of a parcel that belongs to no order any more, because its user or team was erased. An
 * erasure itself leaves them: another team may have an order with the same number, and a team sees only its own.
 */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`
    delete from carrier_scans
     where received_at < now() - make_interval(days => ${RETENTION_DAYS})
        or (not is_known and received_at < now() - make_interval(days => ${UNKNOWN_DAYS}))
        or (is_known and not exists (
              select from tracking_numbers where tracking_numbers.number_hash = carrier_scans.number_hash))`.execute(
    db,
  );
}
