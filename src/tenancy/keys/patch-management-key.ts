import type { ManagementCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError, notFound } from '../../errors.ts';
import { refuseUnknownTeams } from '../teams/find.ts';
import { MANAGEMENT_KEY_COLUMNS, type ManagementKeyRow } from './render-management-key.ts';

/** Changes a key's label or, of a Team Management Key, the teams it is bound to; null leaves either as it is. */
export function patchManagementKey(
  ctx: ManagementCtx,
  keyId: string,
  { label, team_ids }: { label: string | null; team_ids: string[] | null },
): Promise<ManagementKeyRow> {
  return inTransaction(ctx, async (ctx) => {
    const key = await ctx.db
      .selectFrom('management_keys')
      .select([...MANAGEMENT_KEY_COLUMNS])
      .where('org_id', '=', ctx.org.id)
      .where('id', '=', keyId)
      .where('revoked_at', 'is', null)
      .forUpdate()
      .executeTakeFirst();
    if (!key) throw notFound('Management key');
    if (team_ids && key.role !== 'team_admin') {
      throw new AppError('key_not_bindable', 'An Org Management Key opens every team: it cannot be bound to some.');
    }
    if (team_ids) await refuseUnknownTeams(ctx, ctx.org.id, team_ids);
    return ctx.db
      .updateTable('management_keys')
      .set({ label: label ?? key.label, team_ids: team_ids ?? key.team_ids })
      .where('id', '=', key.id)
      .returning(MANAGEMENT_KEY_COLUMNS)
      .executeTakeFirstOrThrow();
  });
}
