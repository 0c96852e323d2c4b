import { sql } from 'kysely';
import type { OrgSignedCtx, TxCtx } from '../../../context.ts';
import { linkRefused } from '../../../privacy/signed-link.ts';

export type OpenInvite = { id: string; email: string; role: string; team_ids: string[] | null; teams: string[] };

/** Returns true if a person accepted the invite and is still a member. */
async function isAccepted({ db, org, signedId }: OrgSignedCtx | TxCtx<OrgSignedCtx>): Promise<boolean> {
  const row = await db
    .selectFrom('org_members')
    .select('id')
    .where('org_id', '=', org.id)
    .where('id', '=', signedId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the invite of a link, with the names of its teams. Returns null if the person has accepted the invite.
 * Another transaction may be accepting it, and the first statement waits for that. So we look for the member in a
 * second statement, which sees the new member. Throws link_refused if there is neither an invite nor a member.
 */
export async function findOpenInviteOrNull(ctx: OrgSignedCtx | TxCtx<OrgSignedCtx>): Promise<OpenInvite | null> {
  const row = await ctx.db
    .selectFrom('org_invites')
    .select(['id', 'email', 'role', 'team_ids'])
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', ctx.signedId)
    .$if(ctx.db.isTransaction, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row && (await isAccepted(ctx))) return null;
  if (!row) throw linkRefused();
  const teams = await ctx.db
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('org_id', '=', ctx.org.id)
    .where(sql<boolean>`id = any (${row.team_ids ?? []}::uuid[])`)
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .execute();
  return {
    ...row,
    email: ctx.cipher.openText('org_invites.email', { team_id: ctx.org.id, id: row.id }, row.email),
    teams: teams.map(({ name }) => name),
  };
}
