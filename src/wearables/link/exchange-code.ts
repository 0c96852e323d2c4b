import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { AppError } from '../../errors.ts';
import { hashKey } from '../../tenancy/keys/key-value.ts';
import { findTeamScope, forTeam } from '../../tenancy/teams/scope.ts';
import { createSignInToken } from '../../users/sign-in-token.ts';

/** Changes a code for a token of its user. A code is good for one change; one that nobody has, was used or has ended is refused alike. */
export async function exchangeLinkCode(ctx: Ctx, code: string): Promise<{ user_id: string; sign_in_token: string }> {
  const {
    rows: [taken],
  } = await sql<{ user_id: string; team_id: string }>`
    delete from link_codes using users
     where code_hash = ${hashKey(code)} and expires_at > now()
       and users.id = link_codes.user_id and users.deleted_at is null
    returning link_codes.user_id, link_codes.team_id`.execute(acrossTeams(ctx).db);
  const team = taken && (await findTeamScope(ctx, taken.team_id));
  if (!team || !taken) {
    throw new AppError('link_code_invalid', 'This code is unknown, was used or has ended. Ask for another one.');
  }
  return createSignInToken(forTeam(ctx, team), taken.user_id);
}
