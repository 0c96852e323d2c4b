import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import type { Insurances } from '../db/tables.ts';
import { notFound } from '../errors.ts';
import { findUser } from '../users/find.ts';
import type { Insurance } from './schemas.ts';

export type StoredInsurance = Static<typeof Insurance> & { id: string };

/** What of a record is personal; sealed as one value, since it is only ever read together. */
export type InsuranceDetails = Pick<StoredInsurance, 'member_id' | 'group_id' | 'insured' | 'guarantor'>;

/** The newest record of a user, primary or not as asked. Throws not_found for the user and where there is none. */
export async function findLatestInsurance(ctx: TeamCtx, userId: string, isPrimary: boolean): Promise<StoredInsurance> {
  await findUser(ctx, userId);
  const insurance = await findLatestInsuranceOrNull(ctx, userId, isPrimary);
  if (!insurance) throw notFound(isPrimary ? 'Primary insurance of this user' : 'Secondary insurance of this user');
  return insurance;
}

/** One of a user's records; null where it is gone. */
export async function findInsuranceOrNull(ctx: TeamCtx, userId: string, id: string): Promise<StoredInsurance | null> {
  const row = await ctx.db
    .selectFrom('insurances')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirst();
  return row ? opened(ctx, row) : null;
}

/** The newest by the database's clock: ids of two processes of one millisecond have no order. */
export async function findLatestInsuranceOrNull(
  ctx: TeamCtx,
  userId: string,
  isPrimary: boolean,
): Promise<StoredInsurance | null> {
  const row = await ctx.db
    .selectFrom('insurances')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('team_id', '=', ctx.team.id)
    .where('is_primary', '=', isPrimary)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? opened(ctx, row) : null;
}

const COLUMNS = ['id', 'team_id', 'payor_code', 'relationship', 'is_primary', 'details', 'company'] as const;

function opened(ctx: TeamCtx, row: Pick<Selectable<Insurances>, (typeof COLUMNS)[number]>): StoredInsurance {
  const { team_id, details, company, ...plain } = row;
  return {
    ...plain,
    ...ctx.cipher.openJson<InsuranceDetails>('insurances.details', { team_id, id: row.id }, details),
    company: company as StoredInsurance['company'],
  };
}
