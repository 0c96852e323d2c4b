import { sql } from 'kysely';
import type { Tx } from '../../db/open.ts';

/**
 * Workers listen to it: the replay in the payload was asked for or cancelled. Its endpoint was not changed, so that the rest which
 * that asked for goes on. A worker that does not know the channel looks for replays by itself, and finds that one was cancelled when
 * it writes how far that came.
 */
export const REPLAYS_CHANNEL = 'phial_replays';

/** In the transaction that asks for a replay or cancels it. */
export async function tellOfReplay(tx: Tx, replayId: string): Promise<void> {
  await sql`select pg_notify(${REPLAYS_CHANNEL}, ${replayId})`.execute(tx);
}
