import { sql } from 'kysely';
import type { Tx } from '../../db/open-database.ts';

/**
 * Workers listen to this channel. The payload is the id of a replay that somebody requested or cancelled. A
 * notification on ENDPOINTS_CHANNEL ends the pause of the endpoint's queue, and a replay must not do that, so replays
 * have a channel of their own. If a worker misses a notification, it finds a new replay in its regular search, and a
 * cancellation when it saves its progress.
 */
export const REPLAYS_CHANNEL = 'phial_replays';

/** Notifies all workers of a replay. Call it in the transaction that requests or cancels the replay. */
export async function notifyReplay(tx: Tx, replayId: string): Promise<void> {
  await sql`select pg_notify(${REPLAYS_CHANNEL}, ${replayId})`.execute(tx);
}
