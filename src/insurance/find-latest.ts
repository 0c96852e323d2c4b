import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { notFound } from '../errors.ts';
import { findUser } from '../users/find.ts';
import type { Insurance } from './schemas.ts';

type InsuranceRow = Static<typeof Insurance> & { id: string };

/** The newest record of a user, primary or not as asked. Throws not_found for the user and where there is none. */
export async function findLatestInsurance(ctx: TeamCtx, userId: string, isPrimary: boolean): Promise<InsuranceRow> {
  await findUser(ctx, userId);
  const insurance = await findLatestInsuranceOrNull(ctx, userId, isPrimary);
  if (!insurance) throw notFound(isPrimary ? 'Primary insurance of this user' : 'Secondary insurance of this user');
  return insurance;
}

/** The newest by the database's clock: ids of two processes of one millisecond have no order. */
async function findLatestInsuranceOrNull(
  ctx: Pick<TeamCtx | TxCtx<TeamCtx>, 'db' | 'team'>,
  userId: string,
  isPrimary: boolean,
): Promise<InsuranceRow | null> {
  const row = await ctx.db
    .selectFrom('insurances')
    .select([
      'id',
      'payor_code',
      'member_id',
      'group_id',
      'relationship',
      'insured',
      'guarantor',
      'is_primary',
      'company',
    ])
    .where('user_id', '=', userId)
    .where('team_id', '=', ctx.team.id)
    .where('is_primary', '=', isPrimary)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (row ?? null) as InsuranceRow | null;
}
