import type { Readable } from 'node:stream';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError, notFound } from '../../errors.ts';
import { HookBodies } from '../../hook-bodies.ts';
import { configuredOrNull, type Configured } from '../connections/applications/configured.ts';
import { subscriptionIdOf } from '../connections/subscriptions/known-subscription.ts';
import { connectionsOf } from './connections-of.ts';
import { equalInConstantTime } from '../../privacy/equal-in-constant-time.ts';
import { type NotificationReader, type HookRequest, hookTokenOf } from '../providers/notification-reader.ts';
import { storeNotifications, type ReceivedNotification } from './store-notifications.ts';
import { notificationReaderOrNull } from '../providers/registry.ts';

/** Counts the request bodies that the process has in memory. Each has up to 64 KiB. */
const bodies = new HookBodies();

/** The most notifications that we read from one body. Google sends up to 99 in one body. */
const MAX_NOTIFICATIONS = 100;

type ConfiguredHook = { reader: NotificationReader; secret: string; configured: Configured };

/**
 * Returns the reader of a provider's notifications, if this deployment has an application at the provider, with the
 * secret of the application. Throws not_found.
 */
export function findHook(ctx: Ctx, provider: string): ConfiguredHook {
  const [reader, configured] = [notificationReaderOrNull(provider), configuredOrNull(ctx.config, provider)];
  if (!reader || !configured) throw notFound('Hook of this provider');
  return { reader, secret: configured.client.secret.reveal(), configured };
}

/**
 * Stores the notifications of a body for every connection that they are about, and responds. A job pulls the data
 * later. Throws signature_refused. If the address or the headers show that the sender is not the provider, throws
 * before it reads the body.
 */
export async function receiveHook(
  ctx: Ctx,
  provider: string,
  { body, ...from }: Omit<HookRequest, 'body'> & { body: Readable },
): Promise<{ received: true }> {
  const found = findHook(ctx, provider);
  if (!mayBeGenuine(found.reader, found.secret, from)) throw refused(ctx, provider);
  return bodies.take(ctx, body, (bytes) => receiveBody(ctx, found, { ...from, body: bytes.toString('utf8') }));
}

async function receiveBody(
  ctx: Ctx,
  { reader, secret, configured }: ConfiguredHook,
  sent: HookRequest,
): Promise<{ received: true }> {
  const provider = configured.connector.slug;
  const count = (outcome: 'kept' | 'nobody_told') => ctx.count?.({ what: 'hook', provider, outcome });
  if (!reader.isGenuine(secret, sent)) throw refused(ctx, provider);
  const byAccount = new Map<string, ReceivedNotification[]>();
  const notifications = notificationsOf(reader, sent.body);
  if (!(await isOfOurs(ctx, configured, reader, notifications))) throw refused(ctx, provider);
  for (const notification of notifications) {
    const providerEvent = reader.read(notification);
    if (providerEvent === null) continue;
    const account = ctx.cipher.lookupHash('external_user', provider, providerEvent.external_user_id).toString('hex');
    const all = byAccount.get(account) ?? [];
    all.push({ providerEvent, text: JSON.stringify(notification) });
    byAccount.set(account, all);
  }
  if (byAccount.size === 0) {
    count('nobody_told');
    return { received: true };
  }
  const connections = await inTransaction(acrossTeams(ctx), async (tx) => {
    const connections = await connectionsOf(tx, provider, [...byAccount.keys()]);
    const all = connections.map(({ account, ...owner }) => ({ ...owner, notifications: byAccount.get(account) ?? [] }));
    await storeNotifications(tx, provider, all, reader.repeats ?? false);
    return connections.length;
  });
  count(connections > 0 ? 'kept' : 'nobody_told');
  return { received: true };
}

function refused(ctx: Ctx, provider: string): AppError {
  ctx.count?.({ what: 'hook', provider, outcome: 'refused' });
  return new AppError('signature_refused', 'Nothing proves that the provider has sent this request.');
}

/**
 * Whether the notifications come from this deployment's subscription. True if we do not know the id of our
 * subscription.
 */
async function isOfOurs(
  ctx: Ctx,
  configured: Configured,
  { subscriptionOf }: NotificationReader,
  notifications: Readonly<Record<string, unknown>>[],
): Promise<boolean> {
  const ours = subscriptionOf ? await subscriptionIdOf(ctx, configured) : null;
  return ours === null || notifications.every((notification) => subscriptionOf?.(notification) === ours);
}

/**
 * Whether the provider may have sent the request: its address has our token, or it has one of the headers that prove
 * the sender.
 */
const mayBeGenuine = ({ headers }: NotificationReader, secret: string, sent: Omit<HookRequest, 'body'>): boolean =>
  sent.token === null
    ? headers.some((name) => (sent.headers[name] ?? null) !== null)
    : equalInConstantTime(sent.token, hookTokenOf(secret));

/** Returns the notifications in a body. Ignores parts that are not objects. */
function notificationsOf({ isForm = false }: NotificationReader, sent: string): Readonly<Record<string, unknown>>[] {
  if (isForm) return [Object.fromEntries(new URLSearchParams(sent))];
  const value = parse(sent);
  const all: unknown[] = Array.isArray(value) ? value.slice(0, MAX_NOTIFICATIONS) : [value];
  return all.flatMap((each) => (typeof each === 'object' && each !== null ? [{ ...each }] : []));
}

function parse(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return null;
  }
}
