import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { prepared } from '../../db/session/prepared.ts';
import { inTransaction } from '../../db/transaction.ts';
import { publishEvent } from '../../events/publish.ts';
import { isPushed, type ProviderSlug } from '../providers/provider-catalogue.ts';
import { resourceAvailability } from './resource-availability.ts';
import { forgetEnded } from './tokens/ended-agreements.ts';
import { connectionCreated } from './events.ts';
import { namedProvider } from '../providers/named.ts';
import { isAfterLastDay } from './pause-after-last-day.ts';
import { subscribeUser } from './subscriptions/subscribe-user.ts';
import { queueEndedRevocations } from './tokens/queue-revocations.ts';
import { sealedTokens, type Tokens } from './tokens/sealed-tokens.ts';

type UserRef = { id: string; client_user_id: string };

/** What a new connection stores. All of it may be missing, for example if a phone connects itself. */
export type Grant = {
  /** The id by which the provider knows the user. */
  external_user_id: string | null;
  /** True if the provider itself returned `external_user_id`. Missing if only the team has stated this id. */
  proven?: boolean;
  /** The scopes that the user granted; null if they are not known. */
  granted_scopes: string[] | null;
  tokens: Tokens | null;
  /**
   * The team's own application to which the tokens belong. Missing or null if they belong to this deployment's
   * application.
   */
  credential_id?: string | null;
  /** True if the connection brings invented data. */
  demo?: boolean;
};

/** The grant of a phone, which connects itself, and of a demo connection. Neither has an account at a provider. */
export const NO_GRANT: Grant = { external_user_id: null, granted_scopes: null, tokens: null };

/**
 * Connects a user to a provider. If the connection exists, in whatever status, changes it. Publishes an event if the
 * connection is new or was not connected before. So two requests at the same time cause one event.
 */
export function connect(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  user: UserRef,
  provider: ProviderSlug,
  grant: Grant,
): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const before = await lockOrInsert(ctx, user, provider);
    const row = { team_id: ctx.team.id, id: `${user.id}/${provider}` };
    const { external_user_id: external, granted_scopes, credential_id = null } = grant;
    await ctx.db
      .updateTable('connections')
      .set({
        status: 'connected',
        error_type: null,
        errored_at: null,
        external_user_id: external === null ? null : ctx.cipher.sealText('connections.external_user_id', row, external),
        external_user_hash: external === null ? null : ctx.cipher.lookupHash('external_user', provider, external),
        account_proven: grant.proven ?? false,
        granted_scopes,
        demo: grant.demo ?? false,
        credential_id,
        ...sealedTokens(ctx, row, grant.tokens),
        refreshing_until: null,
        updated_at: sql<string>`now()`,
      })
      .where('user_id', '=', user.id)
      .where('provider', '=', provider)
      .where('team_id', '=', ctx.team.id)
      .execute();
    await forgetEnded(ctx, { user_id: user.id, provider });
    if (before) await queueEndedRevocations(ctx, [{ ...before, user_id: user.id, provider }]);
    if (grant.tokens && !grant.demo) await subscribeUser(ctx, user.id, provider, credential_id);
    if (before?.status === 'connected') return;
    const name = namedProvider(ctx.config, provider);
    await publishEvent(ctx, connectionCreated, {
      user,
      data: {
        user_id: user.id,
        provider: name,
        source: name,
        external_user_id: external,
        resource_availability: resourceAvailability(provider, granted_scopes),
      },
    });
  });
}

type Before = {
  status: string;
  credential_id: string | null;
  tokens: Buffer | null;
  external_user_id: Buffer | null;
};

/**
 * Locks the connection and returns its state before this call; null if this call made it. If two calls run at the same
 * time, the second one waits.
 */
async function lockOrInsert({ db, team }: TxCtx<TeamCtx>, user: UserRef, provider: string): Promise<Before | null> {
  // If the connection exists, the insert does nothing. Another transaction may then delete the connection before we
  // lock it. In that case the loop inserts again.
  for (;;) {
    const made = await db
      .insertInto('connections')
      .values({ user_id: user.id, provider, team_id: team.id, status: 'connected' })
      .onConflict((oc) => oc.doNothing())
      .returning('provider')
      .executeTakeFirst();
    if (made) return null;
    const before = await db
      .selectFrom('connections')
      .select(['status', 'credential_id', 'tokens', 'external_user_id'])
      .where('user_id', '=', user.id)
      .where('provider', '=', provider)
      .where('team_id', '=', team.id)
      .forUpdate()
      .executeTakeFirst();
    if (before) return before;
  }
}

/**
 * Makes a connection for a push of data, in the transaction that stores the data. A phone or a person connects by
 * sending data. The first push makes the connection and publishes its event; later pushes find the connection. For
 * samples this event comes before the event of the data, for summaries after it.
 *
 * Makes no connection in two cases. First, if users connect the provider at the provider's own page: such a connection
 * needs a token, and a push brings none. Second, if the user's last day of ingestion has passed, because then the data
 * is not stored.
 */
export async function ensureConnection(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  user: UserRef,
  provider: ProviderSlug,
): Promise<void> {
  if (!isPushed(provider)) return;
  const found = await ctx.db
    .selectFrom('connections')
    .select('status')
    .where('user_id', '=', user.id)
    .where('provider', '=', provider)
    .where('team_id', '=', ctx.team.id)
    .$call(prepared('find connection of a push'))
    .executeTakeFirst();
  if (found?.status === 'connected' || (await isAfterLastDay(ctx, user))) return;
  await connect(ctx, user, provider, NO_GRANT);
}
