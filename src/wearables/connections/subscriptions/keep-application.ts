import { sql } from 'kysely';
import type { Ctx } from '../../../context.ts';
import { configuredOrNull, type Configured } from '../applications/configured.ts';
import { ProviderRefused, ProviderUnavailable } from '../../providers/provider-errors.ts';
import { hookAddress, hookBase } from './address.ts';
import { askProvider } from './ask-provider.ts';
import { APPLICATION_SUBSCRIBERS } from '../../providers/registry.ts';
import type { ApplicationSubscriber } from '../../providers/subscriber.ts';
import { hookTokenOf } from '../../providers/notifier.ts';

/** Of every provider: what ends is renewed days before, and what was taken away is made again. */
export const LOOK_SECONDS = 86_400;
/** After a failure, doubled each time up to as often as it is looked anyway. */
export const FIRST_WAIT_SECONDS = 300;
/** Longer than all that a provider is asked in one look; whoever was killed meanwhile is followed by another. */
const LEASE_SECONDS = 300;

/**
 * Has the providers that are configured here tell of news, where they can reach this service: of many processes one at a
 * time asks each of them, and none that was asked lately.
 */
export async function keepApplicationSubscriptions(ctx: Ctx): Promise<void> {
  for (const subscriber of APPLICATION_SUBSCRIBERS) {
    const configured = configuredOrNull(ctx.config, subscriber.provider);
    const address = configured && hookAddress(ctx.config, configured, subscriber.signs);
    if (!configured || !address) continue;
    const lease = await takeLease(ctx, configured);
    if (lease === null) continue;
    await endLease(ctx, configured, lease, await keep(ctx, subscriber, configured, address));
  }
}

/** Null where it could not be looked at; it may be another's. */
type Kept = { id: string | null } | null;

async function keep(
  { config, log }: Ctx,
  { provider, keep }: ApplicationSubscriber,
  configured: Configured,
  address: string,
): Promise<Kept> {
  const { id, secret } = configured.client;
  const here = { address, base: hookBase(config, provider), token: hookTokenOf(secret.reveal()) };
  try {
    const client = { id, secret: secret.reveal() };
    return { id: await keep((question) => askProvider(config, configured, question), here, client) };
  } catch (error) {
    if (!(error instanceof ProviderRefused || error instanceof ProviderUnavailable)) throw error;
    log.warn({ provider, code: error.code }, 'a provider was not subscribed to: its news come by polls');
    return null;
  }
}

/** Null where somebody has it, or it was looked at lately by the same address and application. */
async function takeLease({ db, config }: Ctx, { connector, client }: Configured): Promise<string | null> {
  const { rows } = await sql<{ lease: string }>`
    insert into application_subscriptions as s (provider, base_url, client_id, due_at, leased_until)
    values (${connector.slug}, ${config.baseUrl}, ${client.id}, now(), now() + make_interval(secs => ${LEASE_SECONDS}))
    on conflict (provider) do update
      set leased_until = excluded.leased_until, base_url = excluded.base_url, client_id = excluded.client_id,
          external_id = case when s.base_url = excluded.base_url and s.client_id = excluded.client_id then s.external_id end
      where (s.leased_until is null or s.leased_until < now())
        and (s.due_at <= now() or s.base_url <> excluded.base_url or s.client_id <> excluded.client_id)
    returning leased_until::text as lease`.execute(db);
  return rows[0]?.lease ?? null;
}

async function endLease({ db }: Ctx, { connector }: Configured, lease: string, kept: Kept): Promise<void> {
  const isKept = kept !== null;
  await sql`
    update application_subscriptions
       set leased_until = null, external_id = case when ${isKept} then ${kept?.id ?? null} else external_id end, failures = case when ${isKept} then 0 else failures + 1 end,
           due_at = now() + make_interval(secs => case when ${isKept} then ${LOOK_SECONDS}
             else least(${FIRST_WAIT_SECONDS} * power(2, least(failures, 20)), ${LOOK_SECONDS}) end)
     where provider = ${connector.slug} and leased_until = ${lease}::timestamptz`.execute(db);
}
