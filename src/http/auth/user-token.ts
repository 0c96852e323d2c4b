import { sql } from 'kysely';
import type { Ctx, TeamCtx } from '../../context.ts';
import { prepared } from '../../db/session/prepared.ts';
import { AppError } from '../../errors.ts';
import { hashKey, readToken } from '../../tenancy/keys/key-value.ts';
import { makerOpens } from '../../tenancy/keys/maker-opens.ts';
import { forTeam } from '../../tenancy/teams/scope.ts';
import type { AccessCache } from './access.ts';
import { bearerOf } from './bearer.ts';
import type { AuthKind, Caller, Stranger } from './caller.ts';
import { idOf } from './signature.ts';
import { teamKey } from './team-key.ts';

/** A team by its key, or one of its users by a token that lasts an hour: for what a phone sends by itself. */
export const teamKeyOrUserToken: AuthKind = {
  securitySchemes: {
    ...teamKey.securitySchemes,
    user_token: {
      type: 'http',
      scheme: 'bearer',
      description:
        "A user's own token of POST /v2/user/{user_id}/sign_in_token: for an hour it opens what that user may send, and no other user.",
    },
  },
  refusals: teamKey.refusals,
  async findCaller(ctx, access, headers, at) {
    const token = bearerOf(headers);
    return token === null || readToken(token) === 'access'
      ? teamKey.findCaller(ctx, access, headers, at)
      : findUserOfToken(ctx, access, token, at.address);
  },
};

/** Not kept between requests: a phone sends seldom, and a user who is erased, or a key that is revoked, takes the token along at once. */
async function findUserOfToken(
  ctx: Ctx,
  access: AccessCache,
  token: string,
  address: string,
): Promise<Caller | Stranger> {
  const refusal = new AppError(
    'invalid_api_key',
    'This token is unknown or has ended. Ask for another by POST /v2/user/{user_id}/sign_in_token.',
  );
  if (readToken(token) !== 'user') return { key: null, refusal };
  const found = await access.lookUpToken(token, address, (across) => findOrNull(across, token));
  if (!found) return { key: null, refusal };
  const { id, org_id, made_by, link_code_id } = found;
  const key = { kind: 'user_token', id: found.token_id, org_id, team_id: id } as const;
  const records = [made_by, link_code_id].filter((each) => each !== null);
  const shown = { key, records, countedAs: idOf(`tokens of users of ${id}`) };
  if (!found.opens) return { ...shown, refusal };
  const team = { id, org_id, settings: found.settings as TeamCtx['team']['settings'] };
  return { ctx: { ...forTeam(ctx, team), onlyUser: found.user_id }, ...shown, apiKey: token };
}

async function findOrNull({ db }: Ctx, token: string) {
  const found = await db
    .selectFrom('user_tokens')
    .innerJoin('teams', 'teams.id', 'user_tokens.team_id')
    .select([
      'user_tokens.id as token_id',
      'user_tokens.user_id',
      'made_by',
      'link_code_id',
      'teams.id',
      'teams.org_id',
      'teams.settings',
    ])
    .select(sql<boolean>`user_tokens.expires_at > now() and teams.deleted_at is null and ${makerOpens}`.as('opens'))
    .where('token_hash', '=', hashKey(token))
    .$call(prepared('user token'))
    .executeTakeFirst();
  return found ?? null;
}
