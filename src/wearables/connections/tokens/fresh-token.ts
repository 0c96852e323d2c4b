import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { failConnection } from '../fail.ts';
import type { ConnectionError } from '../messages.ts';
import { applicationOf } from '../applications/find-application.ts';
import type { Configured } from '../applications/configured.ts';
import { ownerOf, tellOfOutage } from '../applications/outage.ts';
import { giveBack } from './give-back.ts';
import { renewTokens } from './request-tokens.ts';
import { openExternalUser, openTokens, sealedTokens, type Tokens } from './sealed.ts';
import { ProviderRefused, ProviderUnavailable } from '../../providers/provider-errors.ts';

/** A token that ends sooner is renewed first: a request may take a while. */
const LEAST_SECONDS = 60;
/** Longer than a provider is waited for; whoever was killed meanwhile is followed by another. */
const LEASE_SECONDS = 20;
/** How long, and how often, what another process renews is looked for. */
const MOST_WAIT_MS = 10_000;
const LOOK_MS = 100;

type Place = { user_id: string; provider: string };

/**
 * The access token of a connection, renewed where it has ended or is the one that the provider has just `refused`; null
 * where the connection brings nothing: it is gone, paused or in error, or its user is leaving. A provider that refuses
 * to renew puts it in error, for the reason that `whenRefused` says. Throws ProviderUnavailable where the provider cannot
 * be asked now.
 *
 * Most refresh tokens are good for one use. Of many processes the one that has the row's lease asks and the others look
 * for what it stores; nobody waits with a connection to the database, and nobody gets a token before it is stored.
 */
export async function freshToken(
  ctx: TeamCtx,
  place: Place,
  refused?: string,
  whenRefused: ConnectionError = 'token_refresh_failed',
): Promise<string | null> {
  if (ctx.db.isTransaction)
    throw new Error('A token that is renewed in a transaction would be used before it is kept.');
  const until = performance.now() + MOST_WAIT_MS;
  for (;;) {
    const found = await read(ctx, place);
    if (found === null) return null;
    if (isGood(found, refused)) return found.tokens.access_token;
    const configured = await applicationOf(ctx, { ...place, credential_id: found.credential_id });
    if (!configured) return null;
    const lease = await takeLease(ctx, place, found.sealed);
    const renewed = lease && (await renew(ctx, place, configured, { ...found, lease, whenRefused }));
    if (renewed) return renewed;
    if (performance.now() > until) throw new ProviderUnavailable('renewed_elsewhere');
    if (!lease) await wait(LOOK_MS);
  }
}

type Found = {
  tokens: Tokens;
  external_user_id: string | null;
  credential_id: string | null;
  sealed: Buffer;
  lasts: boolean;
};
type Leased = Found & { lease: string; whenRefused: ConnectionError };

const isGood = ({ tokens, lasts }: Found, refused: string | undefined): boolean =>
  lasts && tokens.access_token !== refused;

async function read(ctx: TeamCtx, { user_id, provider }: Place): Promise<Found | null> {
  const row = await ctx.db
    .selectFrom('connections')
    .innerJoin('users', 'users.id', 'connections.user_id')
    .select(['connections.tokens', 'connections.tokens_expire_at', 'connections.external_user_id', 'credential_id'])
    .select(
      sql<boolean>`tokens_expire_at is null or tokens_expire_at > now() + make_interval(secs => ${LEAST_SECONDS})`.as(
        'lasts',
      ),
    )
    .where('connections.user_id', '=', user_id)
    .where('connections.provider', '=', provider)
    .where('connections.team_id', '=', ctx.team.id)
    .where('connections.status', '=', 'connected')
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row?.tokens) return null;
  const named = { team_id: ctx.team.id, id: `${user_id}/${provider}` };
  const tokens = openTokens(ctx, named, row);
  const external_user_id = openExternalUser(ctx, named, row.external_user_id);
  const { credential_id, lasts } = row;
  return tokens && { tokens, external_user_id, credential_id, sealed: row.tokens, lasts };
}

/** Null where another process has it, or has put other tokens there than were read. */
async function takeLease(ctx: TeamCtx, { user_id, provider }: Place, sealed: Buffer): Promise<string | null> {
  const { rows } = await sql<{ lease: string }>`
    update connections set refreshing_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where user_id = ${user_id} and provider = ${provider} and team_id = ${ctx.team.id} and status = 'connected'
       and tokens = ${sealed} and (refreshing_until is null or refreshing_until < now())
    returning refreshing_until::text as lease`.execute(ctx.db);
  return rows[0]?.lease ?? null;
}

/** Null where the connection has ended, failed or was made anew meanwhile: reading it again tells which. */
async function renew(
  ctx: TeamCtx,
  place: Place,
  configured: Configured,
  { lease, tokens: { refresh_token }, external_user_id, credential_id, whenRefused }: Leased,
): Promise<string | null> {
  try {
    if (refresh_token === null) throw new ProviderRefused('no_refresh_token');
    const { tokens } = await renewTokens(ctx.config, configured, refresh_token);
    // A provider that does not rotate leaves the refresh token out.
    const kept = { ...tokens, refresh_token: tokens.refresh_token ?? refresh_token };
    return (await store(ctx, { ...place, external_user_id, credential_id }, lease, kept)) ? tokens.access_token : null;
  } catch (error) {
    if (!(error instanceof ProviderRefused)) {
      await endLease(ctx, place, lease);
      if (error instanceof ProviderUnavailable)
        tellOfOutage(ctx.log, { provider: place.provider, code: error.code, ...ownerOf(configured) });
      throw error;
    }
    await inTransaction(ctx, async (ctx) => {
      if (await endLease(ctx, place, lease))
        await failConnection(ctx, place, { type: whenRefused, details: error.code });
    });
    return null;
  }
}

type Renewed = Place & { external_user_id: string | null; credential_id: string | null };

/** Whether they are the connection's now. Of one that has ended meanwhile they are given back. */
function store(ctx: TeamCtx, of: Renewed, lease: string, tokens: Tokens): Promise<boolean> {
  const { user_id, provider } = of;
  return inTransaction(ctx, async (ctx) => {
    const columns = sealedTokens(ctx, { team_id: ctx.team.id, id: `${user_id}/${provider}` }, tokens);
    const { rows } = await sql`
      update connections
         set tokens = ${columns.tokens}, tokens_expire_at = ${columns.tokens_expire_at}, refreshing_until = null,
             updated_at = now()
       where user_id = ${user_id} and provider = ${provider} and team_id = ${ctx.team.id}
         and refreshing_until = ${lease}::timestamptz
      returning user_id`.execute(ctx.db);
    if (rows.length > 0) return true;
    await giveBack(ctx, [{ ...of, tokens }]);
    return false;
  });
}

async function endLease(
  { db, team }: TeamCtx | TxCtx<TeamCtx>,
  { user_id, provider }: Place,
  lease: string,
): Promise<boolean> {
  const { rows } = await sql`
    update connections set refreshing_until = null
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
       and refreshing_until = ${lease}::timestamptz
    returning user_id`.execute(db);
  return rows.length > 0;
}
