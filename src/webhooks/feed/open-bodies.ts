import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import type { Place } from './cursor.ts';
import { MOST_PAGE_BYTES } from './cut-page.ts';
import type { Found } from './find-events.ts';

type Body = { user_id: string | null; client_user_id: string | null } & Record<string, unknown>;

export type FeedEvent = {
  id: string;
  event_type: string;
  created_at: string;
  team_id: string;
  user_id: string | null;
  client_user_id: string | null;
  /** What webhooks send; null where it cannot be opened. */
  body: Body | null;
  /** The body as it is sent, byte by byte. */
  text: string | null;
};

type Row = { id: string; event_type: string; user_id: string | null; created_at: string; body: Buffer };

/**
 * What a page shows, with its bodies; `last` is the last one where they are more than one page holds, else null. What an
 * erasure has removed meanwhile is left out.
 */
export async function openBodies(ctx: TeamCtx, shown: Found[]): Promise<{ events: FeedEvent[]; last: Place | null }> {
  if (shown.length === 0) return { events: [], last: null };
  const { rows } = await sql<Row>`
    select event.id, event.event_type, event.user_id, event.created_at, event.body
      from unnest(${shown.map(({ id }) => id)}::uuid[]) as shown (id)
     cross join lateral (
       select * from events where events.team_id = ${ctx.team.id} and events.id = shown.id limit 1
     ) as event`.execute(ctx.db);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const events: FeedEvent[] = [];
  let bytes = 0;
  for (const [n, { id }] of shown.entries()) {
    const row = byId.get(id);
    if (!row) continue;
    const text = await openedOrNull(ctx, id, row.body);
    bytes += text === null ? 0 : Buffer.byteLength(text);
    if (n > 0 && bytes > MOST_PAGE_BYTES) return { events, last: shown[n - 1] as Place };
    const body = text === null ? null : (JSON.parse(text) as Body);
    const { event_type, user_id, created_at } = row;
    const client_user_id = body?.client_user_id ?? null;
    events.push({ id, event_type, created_at, team_id: ctx.team.id, user_id, client_user_id, body, text });
  }
  return { events, last: null };
}

/** A value that was damaged, or sealed under a key that is gone, is its own event's affair. */
export async function openedOrNull({ cipher, log, team }: TeamCtx, id: string, body: Buffer): Promise<string | null> {
  try {
    return await cipher.openPacked('events.body', { team_id: team.id, id }, body);
  } catch (err) {
    log.error(
      { err, message_id: id, team_id: team.id },
      'a stored event cannot be opened; it is shown without its body',
    );
    return null;
  }
}
