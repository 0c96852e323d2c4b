// Finds the OAuth application for requests to a provider. If the team has its own application, this is the team's
// application, else it is the application of this deployment.
import { sql, type RawBuilder } from 'kysely';
import { Hidden } from '../../../config/provider-options.ts';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { CONNECTORS, connectorOrNull } from '../../providers/registry.ts';
import { configuredOrNull, type Configured } from './configured.ts';

type AnyCtx = TeamCtx | TxCtx<TeamCtx>;

/** Returns every provider that users of the team can connect, with the application for new connections. */
export async function findApplications(ctx: AnyCtx): Promise<Configured[]> {
  const own = await ownApplications(ctx, sql`retired_at is null`);
  return CONNECTORS.flatMap(
    ({ slug }) => own.find(({ connector }) => connector.slug === slug) ?? configuredOrNull(ctx.config, slug) ?? [],
  );
}

/** Returns the application for the team's new connections to a provider; null if users cannot connect this provider. */
export async function findApplicationOrNull(ctx: AnyCtx, provider: string): Promise<Configured | null> {
  const [own] = await ownApplications(ctx, sql`retired_at is null and provider = ${provider}`);
  return own ?? configuredOrNull(ctx.config, provider);
}

/** Returns the application that made a connection, even if the team has replaced it since; null if it was deleted. */
export async function applicationOf(
  ctx: AnyCtx,
  { provider, credential_id }: { provider: string; credential_id: string | null },
): Promise<Configured | null> {
  if (credential_id === null) return configuredOrNull(ctx.config, provider);
  const [own] = await ownApplications(ctx, sql`id = ${credential_id} and provider = ${provider}`);
  return own ?? null;
}

type Row = {
  id: string;
  provider: string;
  client_id: string;
  client_secret: Buffer;
  redirect_url_override: string | null;
};

async function ownApplications({ db, team, cipher }: AnyCtx, which: RawBuilder<unknown>): Promise<Configured[]> {
  const { rows } = await sql<Row>`
    select id, provider, client_id, client_secret, redirect_url_override from team_credentials
     where team_id = ${team.id} and client_id is not null and client_secret is not null and ${which}`.execute(db);
  return rows.flatMap(({ id, provider, client_id, client_secret, redirect_url_override }): Configured[] => {
    const connector = connectorOrNull(provider);
    if (!connector) return [];
    const rowKey = { team_id: team.id, id };
    const secret = new Hidden(cipher.openText('team_credentials.client_secret', rowKey, client_secret));
    const own = { team_id: team.id, credential_id: id, redirect_url: redirect_url_override };
    return [{ connector, client: { id: client_id, secret, subscriptionId: null }, own }];
  });
}
