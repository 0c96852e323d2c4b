import { sql } from 'kysely';
import type { OrgSignedCtx, TxCtx } from '../../../context.ts';
import { linkRefused } from '../../../privacy/signed-link.ts';

export type OpenInvite = { id: string; email: string; role: string; team_ids: string[] | null; teams: string[] };

/** Whether a link leads to an invite by which somebody became a member, and is one still. */
export async function isAccepted({ db, org, signedId }: OrgSignedCtx | TxCtx<OrgSignedCtx>): Promise<boolean> {
  const row = await db
    .selectFrom('org_members')
    .select('id')
    .where('org_id', '=', org.id)
    .where('id', '=', signedId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The invite that a link leads to, with the names of its teams. Throws link_refused where there is none any more. */
export async function findOpenInvite(ctx: OrgSignedCtx | TxCtx<OrgSignedCtx>): Promise<OpenInvite> {
  const row = await ctx.db
    .selectFrom('org_invites')
    .select(['id', 'email', 'role', 'team_ids'])
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', ctx.signedId)
    .$if(ctx.db.isTransaction, (query) => query.forUpdate())
    .executeTakeFirst();
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
