import { sql } from 'kysely';
import type { Tx } from '../../db/open-database.ts';

/**
 * Workers listen to this channel. The payload is the id of a replay that was requested or cancelled. We do not use
 * ENDPOINTS_CHANNEL for this, because its notifications end the pause of the endpoint's queue, and a replay must not
 * end it. A worker that does not listen to this channel finds new replays in its regular search, and finds a
 * cancellation when it saves its progress.
 */
export const REPLAYS_CHANNEL = 'phial_replays';

/** Notifies all workers of a replay. Call it in the transaction that requests or cancels the replay. */
export async function notifyReplay(tx: Tx, replayId: string): Promise<void> {
  await sql`select pg_notify(${REPLAYS_CHANNEL}, ${replayId})`.execute(tx);
}
