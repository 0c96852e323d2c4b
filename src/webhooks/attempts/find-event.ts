import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { byIndex } from '../../db/session/by-index.ts';
import { AppError, notFound } from '../../errors.ts';
import { userIsScheduled } from '../../events/deferred-events.ts';
import { openBodyOrNull } from '../../events/open-body.ts';
import type { SentEvent } from './schemas.ts';

type EventRow = {
  id: string;
  event_type: string;
  user_id: string | null;
  created_at: string;
  /** The id of the endpoint that the event tests. Null if the event is not a test. */
  test_for: string | null;
  /** True if the user of the event is scheduled for deletion. */
  user_is_scheduled: boolean;
};

const ROW = sql`events.id, event_type, user_id, test_for, events.created_at, ${userIsScheduled} as user_is_scheduled`;

const found = ({ team }: TeamCtx, id: string) => sql`
  (select * from events where team_id = ${team.id} and id between ${id} and ${id} order by id limit 1) as events
    left join lateral (
      select deleted_at from users where users.id between events.user_id and events.user_id order by users.id limit 1
    ) as users on true`;

/** Returns a stored event of the team. Throws not_found if there is none. */
export async function findEventRow(ctx: TeamCtx, id: string): Promise<EventRow> {
  const event = await findEventRowOrNull(ctx, id);
  if (!event) throw notFound('Event');
  return event;
}

export async function findEventRowOrNull(ctx: TeamCtx, id: string): Promise<EventRow | null> {
  const { rows } = await byIndex(sql<EventRow>`select ${ROW} from ${found(ctx, id)}`).execute(ctx.db);
  return rows[0] ?? null;
}

/**
 * Returns an event with the body that deliveries send. The body is null if we cannot decrypt it. Throws not_found.
 * Throws user_scheduled_for_deletion if the user of the event is scheduled for deletion.
 */
export async function findEvent(ctx: TeamCtx, id: string): Promise<Static<typeof SentEvent>> {
  const { rows } = await byIndex(sql<EventRow & { body: Buffer }>`select ${ROW}, body from ${found(ctx, id)}`).execute(
    ctx.db,
  );
  if (!rows[0]) throw notFound('Event');
  const { user_is_scheduled, test_for: _, body, ...event } = rows[0];
  if (user_is_scheduled)
    throw new AppError('user_scheduled_for_deletion', 'The user of this event is scheduled for deletion.');
  const bytes = await openBodyOrNull(ctx, event.id, body);
  return { ...event, body: bytes?.toString() ?? null };
}
