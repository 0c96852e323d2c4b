import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { MOST_ATTEMPTS, requeueDeliveries } from '../../delivery/requeue.ts';
import { findWaiting } from '../../delivery/waiting.ts';
import { AppError, notFound } from '../../errors.ts';
import { madeAt } from '../../ids.ts';
import { findWebhook } from '../find.ts';
import { findEventRow } from './find-event.ts';
import type { WaitingDelivery } from './schemas.ts';

const DAY_MS = 86_400_000;

/**
 * Sends an event to a receiver once more, whatever became of it there, and answers what waits now. Throws
 * webhook_disabled, event_expired, delivery_held and too_many_attempts.
 */
export async function resend(
  ctx: TeamCtx,
  webhookId: string,
  eventId: string,
): Promise<Static<typeof WaitingDelivery>> {
  await findEnabled(ctx, webhookId);
  const event = await findEventRow(ctx, eventId).catch((error: unknown) => {
    throw isExpired(ctx, eventId) ? expired(ctx) : error;
  });
  if (event.user_leaves)
    throw new AppError(
      'delivery_held',
      'The user whom this event tells of is scheduled for deletion. It is sent if that is taken back.',
    );
  const pair = { webhook_id: webhookId, event_id: event.id };
  return inTransaction(ctx, async (ctx) => {
    const queued = await requeueDeliveries(ctx, [pair], { trigger: 'resend', retried: 'once' });
    if (queued.length === 0)
      throw new AppError('too_many_attempts', `This delivery was tried ${MOST_ATTEMPTS} times; it is not sent again.`);
    // Before the commit: nobody can have sent it yet.
    const [waiting] = await findWaiting(ctx, [pair]);
    if (!waiting) throw notFound('Webhook');
    return waiting;
  });
}

/** A receiver of the team that is sent to. */
export async function findEnabled(ctx: TeamCtx, webhookId: string): Promise<{ id: string; url: string }> {
  const webhook = await findWebhook(ctx, webhookId);
  if (webhook.disabled)
    throw new AppError('webhook_disabled', 'Nothing is sent to an endpoint that is disabled. Enable it first.');
  return webhook;
}

const isExpired = ({ config }: TeamCtx, eventId: string): boolean =>
  eventId[14] === '7' && madeAt(eventId) < Date.now() - config.retentionDays * DAY_MS;

const expired = ({ config }: TeamCtx): AppError =>
  new AppError('event_expired', `Events are kept for ${config.retentionDays} days; this one is older.`);
