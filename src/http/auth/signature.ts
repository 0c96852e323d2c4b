import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Ctx, TeamCtx } from '../../context.ts';
import { prepared } from '../../db/session/prepared.ts';
import { linkRefused, readToken, type SignedLink } from '../../privacy/signed-link.ts';
import { makerOpens } from '../../tenancy/keys/maker-key-condition.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import type { AuthKind, KeyIdentity } from './caller.ts';

/**
 * Authenticates by a link that we signed (privacy/signed-link.ts), until the link expires. People open such links in a
 * browser. The path is `/documents/{kind}/{token}`, and each operation declares its kind in its path.
 */
export const signature: AuthKind = {
  securitySchemes: {},
  refusals: ['link_refused'],
  async findCaller(ctx, access, _headers, { path, params, address }) {
    const kind = path.split('/').at(-2) ?? '';
    const token = params['token'] ?? '';
    const link = readToken(ctx.cipher, kind, token);
    const found = link && (await access.lookUp(address, (across) => findTeamOrNull(across, link)));
    if (!link || !found) return { key: null, refusal: linkRefused() };
    const { team, opens } = found;
    const key: KeyIdentity = { kind: 'signed_link', id: idOf(token), org_id: team.org_id, team_id: team.id };
    const { key_id } = link;
    const shown = { records: key_id === null ? [link.id] : [link.id, key_id], countedAs: idOf(`links of ${team.id}`) };
    if (!opens) return { ...shown, key, refusal: linkRefused() };
    return {
      ctx: {
        ...forTeam(ctx, team),
        ...(key_id === null ? {} : { keyId: key_id }),
        signedId: link.id,
        signedUntil: link.expires,
      },
      ...shown,
      key,
      apiKey: token,
    };
  },
};

/**
 * Finds the team of one of our links, and whether the link is still valid. The database's clock decides whether it has
 * expired. A team can choose whether its links end with the key that made them. Without such a choice, a link ends with
 * its key if the key is limited to scopes.
 */
async function findTeamOrNull(
  { db }: Ctx,
  { team_id, expires, generation, key_id }: SignedLink,
): Promise<{ team: TeamCtx['team']; opens: boolean } | null> {
  const endsWithKey = sql`(settings ->> 'signed_links_end_with_key')::boolean`;
  const row = await db
    .selectFrom('teams')
    .select(['id', 'org_id', 'settings'])
    .select(
      sql<boolean>`deleted_at is null and to_timestamp(${expires}::float8) > now()
        and coalesce((settings ->> 'signed_link_generation')::integer, 0) = ${generation}::integer
        and not exists (
          select from team_api_keys as keys
           where keys.id = ${key_id}::uuid and (keys.revoked_at is not null or keys.expires_at <= now())
             and coalesce(${endsWithKey}, keys.scopes is not null))
        and not (coalesce(${endsWithKey}, false) and not ${makerOpens(sql`${key_id}::uuid`)})`.as('opens'),
    )
    .where('id', '=', team_id)
    .$call(prepared('team of signed link'))
    .executeTakeFirst();
  if (!row) return null;
  const { opens, ...team } = row;
  return { team: { ...team, settings: team.settings as TeamCtx['team']['settings'] }, opens };
}

/** Returns the id of a link for rate limits and logs. The link itself must not appear there. */
export const idOf = (token: string): string =>
  createHash('sha256')
    .update(token)
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');
