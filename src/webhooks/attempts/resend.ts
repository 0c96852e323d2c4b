import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { MOST_ATTEMPTS, requeueDelivery } from '../../delivery/requeue.ts';
import { findWaiting } from '../../delivery/waiting.ts';
import { AppError, notFound } from '../../errors.ts';
import { findEnabledWebhook } from '../receivers/find.ts';
import { findEventRowOrNull } from './find-event.ts';
import type { WaitingDelivery } from './schemas.ts';

/**
 * Sends an event to a receiver once more, whatever became of it there, and answers what waits now; a test, which stays one, to
 * the receiver that it is of. Throws not_found, webhook_disabled, event_expired, delivery_held and too_many_attempts.
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
  if (event.user_leaves)
    throw new AppError(
      'delivery_held',
      'The user whom this event tells of is scheduled for deletion. It is sent if that is taken back.',
    );
  const pair = { webhook_id: webhookId, event_id: event.id };
  return inTransaction(ctx, async (ctx) => {
    if (!(await requeueDelivery(ctx, pair, 'resend')))
      throw new AppError('too_many_attempts', `This delivery was tried ${MOST_ATTEMPTS} times; it is not sent again.`);
    // Before the commit: nobody can have sent it yet.
    const [waiting] = await findWaiting(ctx, [pair]);
    if (!waiting) throw notFound('Webhook');
    return waiting;
  });
}

/** Whether its day is dropped; only ids that this service gives tell of one. */
async function isExpired({ db, config }: TeamCtx, eventId: string): Promise<boolean> {
  if (eventId[14] !== '7') return false;
  const { rows } = await sql<{ is_expired: boolean }>`
    select ${eventId}::uuid < uuid_v7_floor((now() at time zone 'UTC')::date - ${config.retentionDays}::integer) as is_expired`.execute(
    db,
  );
  return rows[0]?.is_expired === true;
}

const expired = ({ config }: TeamCtx): AppError =>
  new AppError('event_expired', `Events are kept for ${config.retentionDays} days; this one is older.`);
