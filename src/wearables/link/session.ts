import { sql } from 'kysely';
import type { Ctx, FoundLinkSession, LinkCtx, TeamCtx, TxCtx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { hashKey } from '../../tenancy/keys/key-value.ts';
import { makerKeyOpens } from '../../tenancy/keys/maker-key-condition.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';

type SessionKey = { token: string } | { id: string; user_id: string };

/**
 * Returns the session of a link token; null if the token is unknown. Uses a database connection of `across`, because
 * the team is not known yet.
 */
export const findLinkSessionOrNull = (
  ctx: Ctx,
  token: string,
  across: Ctx = acrossTeams(ctx),
): Promise<FoundLinkSession | null> => findOrNull(ctx, { token }, across);

/** Returns the session with this id, for a user who returns from a provider. */
export const findLinkSessionByIdOrNull = (
  ctx: Ctx,
  by: { id: string; user_id: string },
): Promise<FoundLinkSession | null> => findOrNull(ctx, by, acrossTeams(ctx));

async function findOrNull(ctx: Ctx, by: SessionKey, { db }: Ctx): Promise<FoundLinkSession | null> {
  const row = await db
    .selectFrom('link_tokens')
    .innerJoin('users', 'users.id', 'link_tokens.user_id')
    .innerJoin('teams', 'teams.id', 'link_tokens.team_id')
    .select(['link_tokens.id', 'user_id', 'users.client_user_id', 'provider', 'filter_on_providers', 'redirect_url'])
    .select(['on_error', 'on_close', 'made_by', 'link_tokens.team_id', 'teams.org_id', 'teams.settings'])
    .select(sql<boolean>`link_tokens.expires_at <= now()`.as('expired'))
    .select(sql<boolean>`consumed_at is not null`.as('consumed'))
    .select(sql<boolean>`users.deleted_at is not null or teams.deleted_at is not null`.as('leaving'))
    .select(sql<boolean>`${makerKeyOpens}`.as('maker_opens'))
    .$if('token' in by, (query) => query.where('token_hash', '=', hashKey((by as { token: string }).token)))
    .$if('id' in by, (query) =>
      query
        .where('link_tokens.user_id', '=', (by as { user_id: string }).user_id)
        .where('link_tokens.id', '=', (by as { id: string }).id),
    )
    .executeTakeFirst();
  if (!row) return null;
  const { id, team_id, org_id, user_id, client_user_id, provider, filter_on_providers, redirect_url } = row;
  const ended =
    row.leaving || !row.maker_opens
      ? 'invalid_token'
      : row.consumed
        ? 'token_consumed'
        : row.expired
          ? 'token_expired'
          : null;
  const team = { id: team_id, org_id, settings: row.settings as TeamCtx['team']['settings'] };
  const link = {
    id,
    token: 'token' in by ? by.token : null,
    user: { id: user_id, client_user_id },
    provider,
    filter_on_providers,
    redirect_url,
    on_error: row.on_error as 'redirect' | null,
    on_close: row.on_close as 'redirect' | null,
  };
  const { made_by } = row;
  const keyId = made_by === null ? {} : { keyId: made_by };
  return {
    id,
    org_id,
    team_id,
    made_by,
    ended,
    ctx: ended === null ? { ...forTeam(ctx, team), ...keyId, link } : null,
  };
}

/**
 * Names the link token as the actor in the audit line of the request. Call it if the token is in the address of the
 * request.
 */
export function nameActor(ctx: Ctx, found: FoundLinkSession | null): void {
  if (!found) return;
  const { id, org_id, team_id, made_by } = found;
  ctx.line?.actor({ kind: 'link_token', id, org_id, team_id }, made_by === null ? [] : [made_by]);
}

/** Marks the session as used. Returns false if it was used before, by another connection. */
export async function consumeLinkSession({ db, team, link }: TxCtx<LinkCtx>): Promise<boolean> {
  const consumed = await db
    .updateTable('link_tokens')
    .set({ consumed_at: sql<string>`now()` })
    .where('user_id', '=', link.user.id)
    .where('id', '=', link.id)
    .where('team_id', '=', team.id)
    .where('consumed_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return consumed !== undefined;
}
