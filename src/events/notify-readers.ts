import { sql } from 'kysely';
import type { TeamCtx } from '../context.ts';
import type { Tx } from '../db/open.ts';

/** Whoever waits for events listens to it: the payload is the team that has new ones. */
export const EVENTS_CHANNEL = 'phial_events';

/** Minutes for which a team is notified after it began to wait. A notification makes commits wait for one another. */
const NOTIFIED_MINUTES = 15;
const RENEWED_AFTER_MS = 5 * 60_000;
const MOST_KNOWN = 10_000;

/** When this process noted a team last. */
const noted = new Map<string, number>();

/**
 * From now on the team is notified of its events, for a quarter of an hour at least. True where it was not before: what is being
 * published at this very moment may not know of it yet.
 */
export async function noteReader({ db, team }: TeamCtx): Promise<boolean> {
  if (performance.now() - (noted.get(team.id) ?? -Infinity) < RENEWED_AFTER_MS) return false;
  const { rows } = await sql<{ was_noted: boolean }>`
    with before as (select until from event_readers where team_id = ${team.id})
    insert into event_readers as known (team_id, until)
    values (${team.id}, now() + make_interval(mins => ${NOTIFIED_MINUTES}))
    on conflict (team_id) do update set until = greatest(known.until, excluded.until)
    returning coalesce((select until > now() from before), false) as was_noted`.execute(db);
  if (noted.size >= MOST_KNOWN) noted.clear();
  noted.set(team.id, performance.now());
  return rows[0]?.was_noted !== true;
}

/** In the transaction in which events of the team come back to its feed. */
export async function tellReaders(db: Tx, teamId: string): Promise<void> {
  await sql`
    select pg_notify(${EVENTS_CHANNEL}, team_id::text) from event_readers
     where team_id = ${teamId} and until > now()`.execute(db);
}
