import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import type { SentEvent } from './schemas.ts';

type EventRow = {
  id: string;
  event_type: string;
  user_id: string | null;
  created_at: string;
  /** Its user is scheduled for deletion. */
  user_leaves: boolean;
};

/** An event of the team that is kept. */
export async function findEventRow({ db, team }: TeamCtx, id: string): Promise<EventRow> {
  const {
    rows: [event],
  } = await sql<EventRow>`
    select events.id, event_type, user_id, events.created_at, users.deleted_at is not null as user_leaves
      from events left join users on users.id = events.user_id
     where events.team_id = ${team.id} and events.id = ${id}`.execute(db);
  if (!event) throw notFound('Event');
  return event;
}

/** What is sent of an event; nothing of one that tells of a user who is scheduled for deletion. */
export async function findEvent(ctx: TeamCtx, eventId: string): Promise<Static<typeof SentEvent>> {
  const { user_leaves, ...event } = await findEventRow(ctx, eventId);
  if (user_leaves)
    throw new AppError('user_scheduled_for_deletion', 'The user of this event is scheduled for deletion.');
  const key = { team_id: ctx.team.id, id: event.id };
  const { body } = await ctx.db
    .selectFrom('events')
    .select('body')
    .where('team_id', '=', key.team_id)
    .where('id', '=', key.id)
    .executeTakeFirstOrThrow(() => notFound('Event'));
  return { ...event, body: await ctx.cipher.openPacked('events.body', key, body) };
}
