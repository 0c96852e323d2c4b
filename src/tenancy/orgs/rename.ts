import type { ManagementCtx } from '../../context.ts';

export const renameOrg = (ctx: ManagementCtx, name: string): Promise<{ id: string; name: string }> =>
  ctx.db
    .updateTable('orgs')
    .set({ name })
    .where('id', '=', ctx.org.id)
    .returning(['id', 'name'])
    .executeTakeFirstOrThrow();
