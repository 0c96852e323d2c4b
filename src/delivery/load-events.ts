import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/** What is sent of an event, to however many receivers. */
export type Event = {
  event_type: string;
  body: Buffer;
  /** The user it tells of where that user is scheduled for deletion: nothing is sent then. */
  heldFor: string | null;
};

type Row = { team_id: string; id: string; event_type: string; body: Buffer; held_for: string | null };

/** Events by id, each read and opened once. Those that retention or an erasure removed are not there. */
export async function loadEvents(ctx: Ctx, wanted: { team_id: string; id: string }[]): Promise<Map<string, Event>> {
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<Row>`
    select events.team_id, events.id, events.event_type, events.body,
           case when users.deleted_at is not null then users.id end as held_for
      from unnest(${wanted.map((event) => event.team_id)}::uuid[], ${wanted.map((event) => event.id)}::uuid[])
           as wanted (team_id, id)
      join events on events.team_id = wanted.team_id and events.id = wanted.id
      left join users on users.id = events.user_id`.execute(ctx.db);
  return new Map(
    rows.map(({ team_id, id, event_type, body, held_for }) => [
      id,
      { event_type, body: Buffer.from(ctx.cipher.openText('events.body', { team_id, id }, body)), heldFor: held_for },
    ]),
  );
}
