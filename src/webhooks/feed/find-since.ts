import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { byIndex } from '../../db/session/by-index.ts';
import { minIdAt } from '../../ids.ts';
import type { Cursor } from './cursor.ts';

/**
 * `created_at` of an event has the time of the database, and its id the time of a process. We begin this much earlier,
 * so that we skip no event if the clocks differ.
 */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Returns a cursor before the first event since a time, or null if there is none yet. Positions are not in the order of
 * times: a long transaction has a low position and may publish late. So we look for the lowest position of all events
 * since that time. Transactions that are running are in no snapshot yet, so the reader gets their events later.
 */
export async function findSinceOrNull({ db, team }: TeamCtx, since: number): Promise<Cursor | null> {
  // The index has positions before ids. It is read from its start, but only in the partition of this day: in those of
  // later days the first entry fulfils the condition.
  const { rows } = await byIndex(sql<{ position: number }>`
    select position from events where team_id = ${team.id} and id >= ${minIdAt(Math.max(0, since - CLOCKS_DIFFER_MS))}
     order by team_id, position, id limit 1`).execute(db);
  if (!rows[0]) return null;
  return { seen: { until: rows[0].position, running: [] }, reading: null, from: secondOf(since) };
}

/** The second of a time as `from` of a cursor. Only the start of the feed has 0. */
export const secondOf = (ms: number): number => Math.max(1, Math.floor(ms / 1000));
