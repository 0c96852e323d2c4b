import type { ManagementCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError, notFound } from '../../errors.ts';
import { refuseUnknownTeams } from '../teams/find.ts';
import { MANAGEMENT_KEY_COLUMNS, type ManagementKeyRow } from './render-management-key.ts';

/**
 * Changes the label of a management key, or the teams of a Team Management Key. A value of null leaves the label or the
 * teams unchanged.
 */
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
      throw new AppError(
        'key_not_bindable',
        'An Org Management Key has access to every team and cannot be bound to some of them.',
      );
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
