import { sql } from 'kysely';
import type { Ctx, TeamCtx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { AppError } from '../../errors.ts';
import { makerKeyOpens } from '../../tenancy/keys/maker-key-condition.ts';
import { hashKey } from '../../tenancy/keys/key-value.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import { createSignInToken } from '../../users/sign-in-token.ts';

/**
 * Exchanges a code for a sign-in token of its user. A code works once. The token is valid as long as the API key that
 * made the code. A code that is unknown, used or expired is refused with the same error, and so is a code whose API key
 * is not valid any more. So nobody can find out which codes exist.
 */
export async function exchangeLinkCode(ctx: Ctx, code: string): Promise<{ user_id: string; sign_in_token: string }> {
  const found = await findCodeOrNull(ctx, code);
  if (found) {
    const { id, team, user_id, made_by } = found;
    const actor = { kind: 'link_code', id, org_id: team.org_id, team_id: team.id } as const;
    ctx.line?.actor(actor, made_by === null ? [user_id] : [user_id, made_by]);
  }
  if (!found?.opens || !(await useUp(ctx, found.id))) {
    throw new AppError('link_code_invalid', 'This code is unknown, was used or has ended. Ask for another one.');
  }
  const { id, team, user_id, made_by } = found;
  const bound = { ...forTeam(ctx, team), ...(made_by === null ? {} : { keyId: made_by }) };
  return createSignInToken(bound, user_id, id);
}

type FoundCode = { id: string; user_id: string; team: TeamCtx['team']; made_by: string | null; opens: boolean };

async function findCodeOrNull(ctx: Ctx, code: string): Promise<FoundCode | null> {
  const {
    rows: [row],
  } = await sql<Omit<FoundCode, 'team'> & { team_id: string; org_id: string; settings: TeamCtx['team']['settings'] }>`
    select link_codes.id, link_codes.user_id, made_by, teams.id as team_id, teams.org_id, teams.settings,
           used_at is null and link_codes.expires_at > now() and users.deleted_at is null
             and teams.deleted_at is null and ${makerKeyOpens} as opens
      from link_codes join users on users.id = link_codes.user_id join teams on teams.id = link_codes.team_id
     where code_hash = ${hashKey(code)}`.execute(acrossTeams(ctx).db);
  if (!row) return null;
  const { team_id, org_id, settings, ...found } = row;
  return { ...found, team: { id: team_id, org_id, settings } };
}

/** Marks the code as used. Returns false if another request has used it before. */
async function useUp(ctx: Ctx, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update link_codes set used_at = now() where id = ${id} and used_at is null`.execute(acrossTeams(ctx).db);
  return numAffectedRows === 1n;
}
