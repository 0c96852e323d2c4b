import type { ManagementCtx } from '../../context.ts';

/** Gives the caller's organisation another name. */
export const renameOrg = (ctx: ManagementCtx, name: string): Promise<{ id: string; name: string }> =>
  ctx.db
    .updateTable('orgs')
    .set({ name })
    .where('id', '=', ctx.org.id)
    .returning(['id', 'name'])
    .executeTakeFirstOrThrow();
