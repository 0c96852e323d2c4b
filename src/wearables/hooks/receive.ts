import type { Readable } from 'node:stream';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError, notFound } from '../../errors.ts';
import { HookBodies } from '../../hook-bodies.ts';
import { configuredOrNull, type Configured } from '../connections/applications/configured.ts';
import { subscriptionIdOf } from '../connections/subscriptions/known-subscription.ts';
import { connectionsOf } from './connections-of.ts';
import { isSame } from '../../privacy/is-same.ts';
import { type Notifier, type Sent, hookTokenOf } from '../providers/notifier.ts';
import { keepNews, type Told } from './keep-news.ts';
import { notifierOrNull } from '../providers/registry.ts';

/** Each of up to 64 KiB. */
const bodies = new HookBodies();

/** Of one body. Google puts 99 in one. */
const MOST_NOTIFICATIONS = 100;

type Found = { hook: Notifier; secret: string; configured: Configured };

/** The hook of a provider that is configured here, with the secret of its application. Throws not_found. */
export function findHook(ctx: Ctx, provider: string): Found {
  const [hook, configured] = [notifierOrNull(provider), configuredOrNull(ctx.config, provider)];
  if (!hook || !configured) throw notFound('Hook of this provider');
  return { hook, secret: configured.client.secret.reveal(), configured };
}

/**
 * Keeps what a provider tells of, for every connection that it tells of, and answers; the work comes afterwards. Throws
 * signature_refused, before it reads the body where no body could be genuine.
 */
export async function receiveHook(
  ctx: Ctx,
  provider: string,
  { body, ...from }: Omit<Sent, 'body'> & { body: Readable },
): Promise<{ received: true }> {
  const found = findHook(ctx, provider);
  if (!mayBeGenuine(found.hook, found.secret, from)) throw refused(ctx, provider);
  return bodies.take(ctx, body, (bytes) => keep(ctx, found, { ...from, body: bytes.toString('utf8') }));
}

async function keep(ctx: Ctx, { hook, secret, configured }: Found, sent: Sent): Promise<{ received: true }> {
  const provider = configured.connector.slug;
  const count = (outcome: 'kept' | 'nobody_told') => ctx.count?.({ what: 'hook', provider, outcome });
  if (!hook.isGenuine(secret, sent)) throw refused(ctx, provider);
  const told = new Map<string, Told[]>();
  const notifications = notificationsOf(hook, sent.body);
  if (!(await isOfOurs(ctx, configured, hook, notifications))) throw refused(ctx, provider);
  for (const notification of notifications) {
    const news = hook.read(notification);
    if (news === null) continue;
    const account = ctx.cipher.lookupHash('external_user', provider, news.external_user_id).toString('hex');
    const all = told.get(account) ?? [];
    all.push({ news, words: JSON.stringify(notification) });
    told.set(account, all);
  }
  if (told.size === 0) {
    count('nobody_told');
    return { received: true };
  }
  const connections = await inTransaction(acrossTeams(ctx), async (tx) => {
    const connections = await connectionsOf(tx, provider, [...told.keys()]);
    const all = connections.map(({ account, ...place }) => ({ ...place, told: told.get(account) ?? [] }));
    await keepNews(tx, provider, all, hook.repeats ?? false);
    return connections.length;
  });
  count(connections > 0 ? 'kept' : 'nobody_told');
  return { received: true };
}

function refused(ctx: Ctx, provider: string): AppError {
  ctx.count?.({ what: 'hook', provider, outcome: 'refused' });
  return new AppError('signature_refused', 'Nothing shows that the provider has sent this.');
}

/** Whether it is of the subscription of this deployment, as far as that is known. */
async function isOfOurs(
  ctx: Ctx,
  configured: Configured,
  { subscriptionOf }: Notifier,
  notifications: Readonly<Record<string, unknown>>[],
): Promise<boolean> {
  const ours = subscriptionOf ? await subscriptionIdOf(ctx, configured) : null;
  return ours === null || notifications.every((notification) => subscriptionOf?.(notification) === ours);
}

/** Whether it came to an address of ours, with the token or with what is to show who has sent it. */
const mayBeGenuine = ({ headers }: Notifier, secret: string, sent: Omit<Sent, 'body'>): boolean =>
  sent.token === null
    ? headers.some((name) => (sent.headers[name] ?? null) !== null)
    : isSame(sent.token, hookTokenOf(secret));

/** What is no object tells of nothing. */
function notificationsOf({ isForm = false }: Notifier, sent: string): Readonly<Record<string, unknown>>[] {
  if (isForm) return [Object.fromEntries(new URLSearchParams(sent))];
  const value = parse(sent);
  const all: unknown[] = Array.isArray(value) ? value.slice(0, MOST_NOTIFICATIONS) : [value];
  return all.flatMap((each) => (typeof each === 'object' && each !== null ? [{ ...each }] : []));
}

function parse(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return null;
  }
}
