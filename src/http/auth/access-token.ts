import { AppError } from '../../errors.ts';
import type { AccessCache } from './access.ts';
import type { Caller, RefusedCaller } from './caller.ts';

/**
 * Authenticates a team by an access token. A management key makes such a token, which is valid for one hour and gives
 * the rights of the team's API key.
 */
export async function findTeamOfToken(
  access: AccessCache,
  token: string,
  address: string,
): Promise<Caller | RefusedCaller> {
  const found = await access.token(token, address);
  // The audit log also names the management key that made the token. The rate limit counts the requests for the team,
  // so a team with more tokens cannot send more requests.
  const shown = { records: found ? [found.created_by] : [], countedAs: found?.key.team_id ?? undefined };
  if (!found?.ctx) {
    return {
      ...shown,
      key: found?.key ?? null,
      refusal: new AppError(
        'invalid_api_key',
        'This token is unknown or has expired. Create another with POST ' +
          '/v1/org/{org_id}/team/{team_id}/create_api_access_token.',
      ),
    };
  }
  return { ...shown, ctx: found.ctx, key: found.key, apiKey: token };
}
