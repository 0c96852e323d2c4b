import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { byIndex } from '../../db/session/by-index.ts';
import { openBodyOrNull } from '../../events/open-body.ts';
import type { Origin } from '../../events/origin.ts';
import type { FeedPosition } from './cursor.ts';
import type { FoundEvent } from './find-events.ts';

export type OpenEvent = {
  id: string;
  event_type: string;
  user_id: string | null;
  created_at: string;
  /** How the data of the event arrived, for example by a poll. Null if the event has no origin. */
  origin: Origin | null;
  /** The body exactly as deliveries send it. Null if we cannot decrypt it. */
  bytes: Buffer | null;
};

type Row = Omit<OpenEvent, 'bytes'> & { body: Buffer };

/**
 * Reads and decrypts the bodies of a page's events, up to `most` bytes, but at least one event. If it stops before the
 * end of the page, `last` is the last returned event. Otherwise `last` is null. It skips events that were erased
 * meanwhile.
 */
export async function openBodies(
  ctx: TeamCtx,
  shown: FoundEvent[],
  most: number,
): Promise<{ events: OpenEvent[]; last: FeedPosition | null }> {
  if (shown.length === 0) return { events: [], last: null };
  const query = sql<Row>`
    select event.id, event.event_type, event.user_id, event.created_at, event.origin, event.body
      from unnest(${shown.map(({ id }) => id)}::uuid[]) as shown (id)
     cross join lateral (
       select * from events where events.team_id = ${ctx.team.id} and events.id between shown.id and shown.id
        order by events.id limit 1
     ) as event`;
  const { rows } = await byIndex(query).execute(ctx.db);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const events: OpenEvent[] = [];
  let totalBytes = 0;
  for (const [n, { id }] of shown.entries()) {
    const row = byId.get(id);
    if (!row) continue;
    const { event_type, user_id, created_at, origin } = row;
    const bytes = await openBodyOrNull(ctx, id, row.body);
    totalBytes += bytes?.length ?? 0;
    if (n > 0 && totalBytes > most) return { events, last: shown[n - 1] as FeedPosition };
    events.push({ id, event_type, user_id, created_at, origin, bytes });
  }
  return { events, last: null };
}
