import type { Ctx, ManagementCtx } from '../../../context.ts';
import { notFound } from '../../../errors.ts';
import { DELETION_COLUMNS, type DeletionRow } from './render.ts';

/**
 * Returns the deletion of a team of the organisation, even if the team is already completely erased. Throws not_found.
 */
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

/**
 * Returns true if any organisation has deleted a team with this id. `ctx` must have access to the rows of that team.
 */
export async function wasDeleted({ db }: Ctx, teamId: string): Promise<boolean> {
  const found = await db.selectFrom('team_deletions').select('id').where('id', '=', teamId).executeTakeFirst();
  return found !== undefined;
}
