import type { TeamCtx } from '../context.ts';
import type { InsuranceDetails, StoredInsurance } from './find-latest.ts';

/** One of a user's records; null where it is gone. */
export async function findInsurance(ctx: TeamCtx, userId: string, id: string): Promise<StoredInsurance | null> {
  const row = await ctx.db
    .selectFrom('insurances')
    .select(['id', 'team_id', 'payor_code', 'relationship', 'is_primary', 'details', 'company'])
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirst();
  if (!row) return null;
  const { team_id, details, company, ...plain } = row;
  return {
    ...plain,
    ...ctx.cipher.openJson<InsuranceDetails>('insurances.details', { team_id, id: row.id }, details),
    company: company as StoredInsurance['company'],
  };
}
