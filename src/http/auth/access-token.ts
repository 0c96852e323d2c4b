import { AppError } from '../../errors.ts';
import type { AccessCache } from './access.ts';
import type { Caller, Stranger } from './caller.ts';

/** A team by a token that a management key made for an hour: opens what the team's API key opens. */
export async function findTeamOfToken(access: AccessCache, token: string, address: string): Promise<Caller | Stranger> {
  const found = await access.token(token, address);
  // The key that made it is part of whose act it is; and whoever makes many tokens may not send more by that.
  const shown = { records: found ? [found.created_by] : [], countedAs: found?.key.team_id ?? undefined };
  if (!found?.ctx) {
    return {
      ...shown,
      key: found?.key ?? null,
      refusal: new AppError(
        'invalid_api_key',
        'This token is unknown or has ended. Make another by POST /v1/org/{org_id}/team/{team_id}/create_api_access_token.',
      ),
    };
  }
  return { ...shown, ctx: found.ctx, key: found.key, apiKey: token };
}
