// By which application a provider is asked: a team's own, where it has one, or this deployment's (record 285).
import { sql, type RawBuilder } from 'kysely';
import { Hidden } from '../../../config/provider-options.ts';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { CONNECTORS, connectorOrNull } from '../../providers/registry.ts';
import { configuredOrNull, type Configured } from './configured.ts';

type AnyCtx = TeamCtx | TxCtx<TeamCtx>;

/** Every provider that users of the team can connect, each with the application that new connections are made by. */
export async function findApplications(ctx: AnyCtx): Promise<Configured[]> {
  const own = await ownApplications(ctx, sql`retired_at is null`);
  return CONNECTORS.flatMap(
    ({ slug }) => own.find(({ connector }) => connector.slug === slug) ?? configuredOrNull(ctx.config, slug) ?? [],
  );
}

/** The application that new connections of the team to a provider are made by; null where it cannot be connected. */
export async function findApplicationOrNull(ctx: AnyCtx, provider: string): Promise<Configured | null> {
  const [own] = await ownApplications(ctx, sql`retired_at is null and provider = ${provider}`);
  return own ?? configuredOrNull(ctx.config, provider);
}

/** The application that a connection was made by, also one that the team uses no more; null where there is none any more. */
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
    const place = { team_id: team.id, id };
    const secret = new Hidden(cipher.openText('team_credentials.client_secret', place, client_secret));
    const own = { team_id: team.id, credential_id: id, redirect_url: redirect_url_override };
    return [{ connector, client: { id: client_id, secret, subscriptionId: null }, own }];
  });
}
