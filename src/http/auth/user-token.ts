import { sql } from 'kysely';
import type { Ctx, TeamCtx } from '../../context.ts';
import { prepared } from '../../db/session/prepared.ts';
import { AppError } from '../../errors.ts';
import { hashKey, readToken } from '../../tenancy/keys/key-value.ts';
import { makerKeyOpens } from '../../tenancy/keys/maker-key-condition.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import type { AccessCache } from './access.ts';
import { bearerOf } from './bearer.ts';
import type { AuthKind, Caller, RefusedCaller } from './caller.ts';
import { idOf } from './signature.ts';
import { teamKey } from './team-key.ts';

/**
 * Authenticates a team by its key, or one of its users by a user token that is valid for an hour. User tokens are for
 * operations to which a phone sends data directly.
 */
export const teamKeyOrUserToken: AuthKind = {
  securitySchemes: {
    ...teamKey.securitySchemes,
    user_token: {
      type: 'http',
      scheme: 'bearer',
      description:
        "A user's own token from POST /v2/user/{user_id}/sign_in_token. For one hour it can send data of " +
        'that user, and of no other.',
    },
  },
  refusals: teamKey.refusals,
  takesSessions: true,
  async findCaller(ctx, access, headers, at) {
    const token = bearerOf(headers);
    return token === null || readToken(token) === 'access'
      ? teamKey.findCaller(ctx, access, headers, at)
      : findUserOfToken(ctx, access, token, at.address);
  },
};

/**
 * Finds the user of a token. We do not cache the result. Phones send rarely, and a token must end at once when its user
 * is erased or its key is revoked.
 */
async function findUserOfToken(
  ctx: Ctx,
  access: AccessCache,
  token: string,
  address: string,
): Promise<Caller | RefusedCaller> {
  const refusal = new AppError(
    'invalid_api_key',
    'This token is unknown or has expired. Get another from POST /v2/user/{user_id}/sign_in_token.',
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
    .select(sql<boolean>`user_tokens.expires_at > now() and teams.deleted_at is null and ${makerKeyOpens}`.as('opens'))
    .where('token_hash', '=', hashKey(token))
    .$call(prepared('user token'))
    .executeTakeFirst();
  return found ?? null;
}
