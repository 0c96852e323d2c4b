import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, jobKind } from '../../../db/define-job.ts';
import { oneOf, Uuid } from '../../../wire/schema.ts';
import { PROVIDER_SLUGS, type ProviderSlug } from '../../providers/provider-catalogue.ts';
import { hookAddress } from '../applications/hook-address.ts';
import { applicationOf } from '../applications/find-application.ts';
import { userSubscriberOrNull } from '../../providers/registry.ts';

/** The job that subscribes to a provider's notifications about one user. */
export const subscriptionKind = jobKind({
  name: 'keep_user_subscription',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, provider: oneOf(PROVIDER_SLUGS) }),
  key: ({ user_id, provider }) => `subscription ${user_id} ${provider}`,
  ownerOf: ({ team_id }) => team_id,
});

/**
 * Queues the job that subscribes to notifications about the user, if the provider has one subscription for each user.
 * Call it in the transaction that connects the user. Phial checks the subscription again and again until the connection
 * ends.
 */
export async function subscribeUser(
  ctx: TxCtx<TeamCtx>,
  user_id: string,
  provider: ProviderSlug,
  credential_id: string | null,
): Promise<void> {
  const subscriber = userSubscriberOrNull(provider);
  if (!subscriber) return;
  const configured = await applicationOf(ctx, { provider, credential_id });
  if (!configured) return;
  // We receive no notifications of a team's own application. Polls bring its new data.
  if (configured.own) {
    await sql`
      delete from user_subscriptions
       where user_id = ${user_id} and provider = ${provider} and team_id = ${ctx.team.id}`.execute(ctx.db);
    return;
  }
  await sql`
    insert into user_subscriptions (user_id, provider, team_id) values (${user_id}, ${provider}, ${ctx.team.id})
    on conflict (user_id, provider) do update set due_at = now(), failures = 0`.execute(ctx.db);
  if (hookAddress(ctx.config, configured, subscriber.signs) === null) return;
  await addJob(ctx.db, subscriptionKind, { team_id: ctx.team.id, user_id, provider });
}
