import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { prepared } from '../../db/session/prepared.ts';
import { inTransaction } from '../../db/transaction.ts';
import { publishEvent } from '../../events/publish.ts';
import { isPushed, type ProviderSlug } from '../providers/catalogue.ts';
import { resourceAvailability } from './availability.ts';
import { forgetEnded } from './tokens/ended-agreements.ts';
import { connectionCreated } from './events.ts';
import { namedProvider } from '../providers/named.ts';
import { isAfterLastDay } from './pause-after-last-day.ts';
import { subscribeUser } from './subscriptions/subscribe-user.ts';
import { giveBackEnded } from './tokens/give-back.ts';
import { sealedTokens, type Tokens } from './tokens/sealed.ts';

type Who = { id: string; client_user_id: string };

/** What a connection is made of; everything may be missing, as of a phone. */
export type Grant = {
  /** The provider's own id of the user. */
  external_user_id: string | null;
  /** Whether the provider has told that id; left out, the team has. */
  proven?: boolean;
  /** null: not known. */
  granted_scopes: string[] | null;
  tokens: Tokens | null;
  /** The team's own application that has given the tokens; left out, this deployment's. */
  credential_id?: string | null;
  /** Brings invented data; left out, it does not. */
  demo?: boolean;
};

/** Of a phone, which connects itself, and of a demo: there is nothing to know of it. */
export const NOTHING: Grant = { external_user_id: null, granted_scopes: null, tokens: null };

/**
 * Connects a user to a provider. A connection that is there already is taken over, whatever had become of it. It is told
 * of where it is new or was not connected, so that two that come at once are told of once.
 */
export function connect(ctx: TeamCtx | TxCtx<TeamCtx>, user: Who, provider: ProviderSlug, grant: Grant): Promise<void> {
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
    if (before) await giveBackEnded(ctx, [{ ...before, user_id: user.id, provider }]);
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

/** What the connection was; null where it was made here. Of two that come at once the second waits. */
async function lockOrInsert({ db, team }: TxCtx<TeamCtx>, user: Who, provider: string): Promise<Before | null> {
  // A connection that is there may have ended when it is locked: once more, and it is made.
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
 * What a push of something that is taken does, in its transaction: a phone, and a person, connect by sending. The first
 * push makes the connection and tells of it, of samples before it tells of them and of summaries afterwards; later ones find
 * it. Data of a provider that is connected at its own page needs no connection of its own to be
 * pushed, and makes none: there would be no token to pull with. Nor does data of who is not looked at any more.
 */
export async function ensureConnection(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  user: Who,
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
  await connect(ctx, user, provider, NOTHING);
}
