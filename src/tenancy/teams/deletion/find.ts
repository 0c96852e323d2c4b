import type { Ctx, ManagementCtx } from '../../../context.ts';
import { notFound } from '../../../errors.ts';
import { DELETION_COLUMNS, type DeletionRow } from './render.ts';

/** Of a team that the organisation has deleted, also when nothing of the team is left. Throws not_found. */
export async function findDeletion(ctx: ManagementCtx, teamId: string): Promise<DeletionRow> {
  const found = await ctx.db
    .selectFrom('team_deletions')
    .select(DELETION_COLUMNS)
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', teamId)
    .executeTakeFirst();
  if (!found) throw notFound('Deletion');
  return found;
}

/** Whether a team of this id was deleted, of whichever organisation: `ctx` sees what is that team's. */
export async function wasDeleted({ db }: Ctx, teamId: string): Promise<boolean> {
  const found = await db.selectFrom('team_deletions').select('id').where('id', '=', teamId).executeTakeFirst();
  return found !== undefined;
}
