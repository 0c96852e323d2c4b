import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { MAX_ATTEMPTS, requeueDelivery } from '../../delivery/requeue.ts';
import { findWaiting } from '../../delivery/find-waiting.ts';
import { AppError, notFound } from '../../errors.ts';
import { findEnabledWebhook } from '../endpoints/find.ts';
import { findEventRowOrNull } from './find-event.ts';
import type { WaitingDelivery } from './schemas.ts';

/**
 * Queues an event for an endpoint again, whatever its earlier outcome, and returns the delivery that waits. A test
 * event can only go to the endpoint that it tests, and its delivery has the trigger `test` again. Throws not_found,
 * webhook_disabled, event_expired, delivery_held and too_many_attempts.
 */
export async function resend(
  ctx: TeamCtx,
  webhookId: string,
  eventId: string,
): Promise<Static<typeof WaitingDelivery>> {
  await findEnabledWebhook(ctx, webhookId);
  const event = await findEventRowOrNull(ctx, eventId);
  if (!event) throw (await isExpired(ctx, eventId)) ? expired(ctx) : notFound('Event');
  if (event.test_for !== null && event.test_for !== webhookId) throw notFound('Event');
  if (event.user_is_scheduled)
    throw new AppError(
      'delivery_held',
      'The user of this event is scheduled for deletion. The event is sent if the deletion is taken back.',
    );
  const pair = { webhook_id: webhookId, event_id: event.id };
  return inTransaction(ctx, async (ctx) => {
    if (!(await requeueDelivery(ctx, pair, 'resend')))
      throw new AppError('too_many_attempts', `This delivery has had ${MAX_ATTEMPTS} attempts. It is not sent again.`);
    // We read the delivery before the commit. After the commit, a worker may send it and delete its row.
    const [waiting] = await findWaiting(ctx, [pair]);
    if (!waiting) throw notFound('Webhook');
    return waiting;
  });
}

/**
 * Returns true if retention has deleted the day of the event. Only an id that this service made (UUID version 7)
 * contains the day.
 */
async function isExpired({ db, config }: TeamCtx, eventId: string): Promise<boolean> {
  if (eventId[14] !== '7') return false;
  const { rows } = await sql<{ is_expired: boolean }>`
    select ${eventId}::uuid < uuid_v7_floor((now() at time zone 'UTC')::date - ${config.retentionDays}::integer)
        as is_expired`.execute(db);
  return rows[0]?.is_expired === true;
}

const expired = ({ config }: TeamCtx): AppError =>
  new AppError('event_expired', `Events are kept for ${config.retentionDays} days. This one is older.`);
