import { sql } from 'kysely';
import type { Ctx } from '../../../context.ts';
import { configuredOrNull, type Configured } from '../applications/configured.ts';
import { ProviderRefused, ProviderUnavailable } from '../../providers/provider-errors.ts';
import { hookAddress, hookBase } from '../applications/hook-address.ts';
import { askProvider } from '../applications/ask-provider.ts';
import { APPLICATION_SUBSCRIBERS } from '../../providers/registry.ts';
import type { ApplicationSubscriber } from '../../providers/subscriber.ts';
import { hookTokenOf } from '../../providers/notification-reader.ts';

/**
 * The interval between two checks of a subscription. A check renews the subscription days before it expires, and makes
 * a new one if the provider has removed it.
 */
export const LOOK_SECONDS = 86_400;
/** The wait after a failed check. It doubles with each failure, up to the usual interval. */
export const FIRST_WAIT_SECONDS = 300;
/**
 * How long a lease lasts: the right of one process to check a subscription. All requests of one check together take
 * less time. If a process is killed, another process takes the lease after this time.
 */
const LEASE_SECONDS = 300;

/**
 * Subscribes to the notifications of the configured providers, if providers can reach this deployment. Only one process
 * at a time sends requests to a provider, and only if a check is due.
 */
export async function ensureApplicationSubscriptions(ctx: Ctx): Promise<void> {
  for (const subscriber of APPLICATION_SUBSCRIBERS) {
    const configured = configuredOrNull(ctx.config, subscriber.provider);
    const address = configured && hookAddress(ctx.config, configured, subscriber.signs);
    if (!configured || !address) continue;
    const lease = await takeLease(ctx, configured);
    if (lease === null) continue;
    await endLease(ctx, configured, lease, await ensureSubscription(ctx, subscriber, configured, address));
  }
}

/** The result of a check; null if the check failed. `id` is null if the provider has no id for our subscription. */
type EnsuredSubscription = { id: string | null } | null;

async function ensureSubscription(
  { config, log }: Ctx,
  { provider, ensure }: ApplicationSubscriber,
  configured: Configured,
  address: string,
): Promise<EnsuredSubscription> {
  const { id, secret } = configured.client;
  const here = { address, base: hookBase(config, provider), token: hookTokenOf(secret.reveal()) };
  try {
    const client = { id, secret: secret.reveal() };
    return { id: await ensure((question) => askProvider(config, configured, question), here, client) };
  } catch (error) {
    if (!(error instanceof ProviderRefused || error instanceof ProviderUnavailable)) throw error;
    log.warn({ provider, code: error.code }, 'a provider was not subscribed to: new data comes by polls');
    return null;
  }
}

/**
 * Takes the lease of the provider's subscription. Returns null if another process has the lease, or if the subscription
 * with this address and application was checked lately.
 */
async function takeLease({ db, config }: Ctx, { connector, client }: Configured): Promise<string | null> {
  const { rows } = await sql<{ lease: string }>`
    insert into application_subscriptions as s (provider, base_url, client_id, due_at, leased_until)
    values (${connector.slug}, ${config.baseUrl}, ${client.id}, now(), now() + make_interval(secs => ${LEASE_SECONDS}))
    on conflict (provider) do update
      set leased_until = excluded.leased_until, base_url = excluded.base_url, client_id = excluded.client_id,
          external_id = case when s.base_url = excluded.base_url and s.client_id = excluded.client_id
            then s.external_id end
      where (s.leased_until is null or s.leased_until < now())
        and (s.due_at <= now() or s.base_url <> excluded.base_url or s.client_id <> excluded.client_id)
    returning leased_until::text as lease`.execute(db);
  return rows[0]?.lease ?? null;
}

async function endLease(
  { db }: Ctx,
  { connector }: Configured,
  lease: string,
  subscription: EnsuredSubscription,
): Promise<void> {
  const isEnsured = subscription !== null;
  await sql`
    update application_subscriptions
       set leased_until = null,
           external_id = case when ${isEnsured} then ${subscription?.id ?? null} else external_id end,
           failures = case when ${isEnsured} then 0 else failures + 1 end,
           due_at = now() + make_interval(secs => case when ${isEnsured} then ${LOOK_SECONDS}
             else least(${FIRST_WAIT_SECONDS} * power(2, least(failures, 20)), ${LOOK_SECONDS}) end)
     where provider = ${connector.slug} and leased_until = ${lease}::timestamptz`.execute(db);
}
