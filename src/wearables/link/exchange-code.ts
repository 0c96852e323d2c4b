import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { AppError } from '../../errors.ts';
import { makerOpens } from '../../tenancy/keys/maker-opens.ts';
import { hashKey } from '../../tenancy/keys/key-value.ts';
import { findTeamScopeOrNull, forTeam } from '../../tenancy/teams/scope.ts';
import { createSignInToken } from '../../users/sign-in-token.ts';

/** Changes a code for a token of its user, which ends with the key that made the code. A code is good for one change; one that nobody has, was used, or has ended, also with that key, is refused alike. */
export async function exchangeLinkCode(ctx: Ctx, code: string): Promise<{ user_id: string; sign_in_token: string }> {
  const {
    rows: [taken],
  } = await sql<{ user_id: string; team_id: string; made_by: string | null }>`
    delete from link_codes using users, teams
     where code_hash = ${hashKey(code)} and link_codes.expires_at > now()
       and users.id = link_codes.user_id and users.deleted_at is null
       and teams.id = link_codes.team_id and ${makerOpens}
    returning link_codes.user_id, link_codes.team_id, made_by`.execute(acrossTeams(ctx).db);
  const team = taken && (await findTeamScopeOrNull(ctx, taken.team_id));
  if (!team || !taken) {
    throw new AppError('link_code_invalid', 'This code is unknown, was used or has ended. Ask for another one.');
  }
  const { user_id, made_by } = taken;
  return createSignInToken({ ...forTeam(ctx, team), ...(made_by === null ? {} : { keyId: made_by }) }, user_id);
}
