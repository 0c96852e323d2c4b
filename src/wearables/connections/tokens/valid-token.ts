import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { failConnection } from '../fail.ts';
import type { ConnectionError } from '../error-messages.ts';
import { applicationOf } from '../applications/find-application.ts';
import type { Configured } from '../applications/configured.ts';
import { ownerOf, logOutage } from '../applications/log-outage.ts';
import { queueRevocations } from './queue-revocations.ts';
import { renewTokens } from './request-tokens.ts';
import { openExternalUser, openTokens, sealedTokens, type Tokens } from './sealed-tokens.ts';
import { ProviderRefused, ProviderUnavailable } from '../../providers/provider-errors.ts';

/** A token that expires within this time is renewed before a request, because the request itself takes time. */
const MIN_SECONDS = 60;
/**
 * How long a lease lasts: the right of one process to renew a token. This is longer than the longest request to a
 * provider. If a process is killed, another process takes the lease after this time.
 */
const LEASE_SECONDS = 20;
/**
 * For how many milliseconds a process waits while another process renews the token, and how long it waits before it
 * reads the database again.
 */
const MAX_WAIT_MS = 10_000;
const LOOK_MS = 100;

type ConnectionKey = { user_id: string; provider: string };

/**
 * Returns the access token of a connection. Renews it if it has expired, or if it is the token that the provider has
 * just refused (`refused`). Returns null if the connection can bring no data: it does not exist, is paused or in error,
 * its user is scheduled for deletion, or its expired token has no application any more. If the provider refuses to
 * renew the token, the connection gets the error `whenRefused`. Throws ProviderUnavailable if the provider cannot be
 * reached.
 *
 * Most refresh tokens work only once. So only the process that has the lease of the row renews the token. Other
 * processes poll the database for the new token, and use no database connection while they wait. A new token is stored
 * before any caller gets it.
 */
export async function getValidToken(
  ctx: TeamCtx,
  connection: ConnectionKey,
  refused?: string,
  whenRefused: ConnectionError = 'token_refresh_failed',
): Promise<string | null> {
  if (ctx.db.isTransaction)
    throw new Error(
      'getValidToken cannot run in a transaction: it would return a renewed token before that is stored.',
    );
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const found = await read(ctx, connection);
    if (found === null) return null;
    if (isGood(found, refused)) return found.tokens.access_token;
    const configured = await applicationOf(ctx, { ...connection, credential_id: found.credential_id });
    if (!configured) return null;
    const lease = await takeLease(ctx, connection, found.sealed);
    const renewed = lease && (await renew(ctx, connection, configured, { ...found, lease, whenRefused }));
    if (renewed) return renewed;
    if (performance.now() > until) throw new ProviderUnavailable('renewed_elsewhere');
    if (!lease) await wait(LOOK_MS);
  }
}

type FoundTokens = {
  tokens: Tokens;
  external_user_id: string | null;
  credential_id: string | null;
  sealed: Buffer;
  lasts: boolean;
};
type LeasedTokens = FoundTokens & { lease: string; whenRefused: ConnectionError };

const isGood = ({ tokens, lasts }: FoundTokens, refused: string | undefined): boolean =>
  lasts && tokens.access_token !== refused;

async function read(ctx: TeamCtx, { user_id, provider }: ConnectionKey): Promise<FoundTokens | null> {
  const row = await ctx.db
    .selectFrom('connections')
    .innerJoin('users', 'users.id', 'connections.user_id')
    .select(['connections.tokens', 'connections.tokens_expire_at', 'connections.external_user_id', 'credential_id'])
    .select(
      sql<boolean>`tokens_expire_at is null or tokens_expire_at > now() + make_interval(secs => ${MIN_SECONDS})`.as(
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

/**
 * Takes the lease of the connection. Returns null if another process has the lease, or if the connection has other
 * tokens than the caller read.
 */
async function takeLease(ctx: TeamCtx, { user_id, provider }: ConnectionKey, sealed: Buffer): Promise<string | null> {
  const { rows } = await sql<{ lease: string }>`
    update connections set refreshing_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where user_id = ${user_id} and provider = ${provider} and team_id = ${ctx.team.id} and status = 'connected'
       and tokens = ${sealed} and (refreshing_until is null or refreshing_until < now())
    returning refreshing_until::text as lease`.execute(ctx.db);
  return rows[0]?.lease ?? null;
}

/**
 * Renews the tokens and returns the access token. Returns null if the connection has ended, failed or was made again
 * meanwhile. Then the caller reads the connection again.
 */
async function renew(
  ctx: TeamCtx,
  connection: ConnectionKey,
  configured: Configured,
  { lease, tokens: { refresh_token }, external_user_id, credential_id, whenRefused }: LeasedTokens,
): Promise<string | null> {
  try {
    if (refresh_token === null) throw new ProviderRefused('no_refresh_token');
    const { tokens } = await renewTokens(ctx.config, configured, refresh_token);
    // If a provider returns no new refresh token, the old one still works.
    const renewedTokens = { ...tokens, refresh_token: tokens.refresh_token ?? refresh_token };
    return (await store(ctx, { ...connection, external_user_id, credential_id }, lease, renewedTokens))
      ? tokens.access_token
      : null;
  } catch (error) {
    if (!(error instanceof ProviderRefused)) {
      await endLease(ctx, connection, lease);
      if (error instanceof ProviderUnavailable)
        logOutage(ctx.log, { provider: connection.provider, code: error.code, ...ownerOf(configured) });
      throw error;
    }
    await inTransaction(ctx, async (ctx) => {
      if (await endLease(ctx, connection, lease))
        await failConnection(ctx, connection, { type: whenRefused, details: error.code });
    });
    return null;
  }
}

type RenewedConnection = ConnectionKey & { external_user_id: string | null; credential_id: string | null };

/**
 * Stores the tokens, and returns whether the connection has them now. If the connection has ended meanwhile, revokes
 * the tokens.
 */
function store(ctx: TeamCtx, of: RenewedConnection, lease: string, tokens: Tokens): Promise<boolean> {
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
    await queueRevocations(ctx, [{ ...of, tokens }]);
    return false;
  });
}

async function endLease(
  { db, team }: TeamCtx | TxCtx<TeamCtx>,
  { user_id, provider }: ConnectionKey,
  lease: string,
): Promise<boolean> {
  const { rows } = await sql`
    update connections set refreshing_until = null
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
       and refreshing_until = ${lease}::timestamptz
    returning user_id`.execute(db);
  return rows.length > 0;
}
