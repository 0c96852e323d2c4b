import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import type { Insurances } from '../db/tables.ts';
import { notFound } from '../errors.ts';
import { findUser } from '../users/find.ts';
import type { Insurance } from './schemas.ts';

export type StoredInsurance = Static<typeof Insurance> & { id: string };

/** The personal part of an insurance record. We always read it completely, so we seal it as one value. */
export type InsuranceDetails = Pick<StoredInsurance, 'member_id' | 'group_id' | 'insured' | 'guarantor'>;

/**
 * Finds the newest primary or secondary insurance record of a user. Throws not_found if the user or the record does not
 * exist.
 */
export async function findLatestInsurance(ctx: TeamCtx, userId: string, isPrimary: boolean): Promise<StoredInsurance> {
  await findUser(ctx, userId);
  const insurance = await findLatestInsuranceOrNull(ctx, userId, isPrimary);
  if (!insurance) throw notFound(isPrimary ? 'Primary insurance of this user' : 'Secondary insurance of this user');
  return insurance;
}

/** Finds the insurance record of a user with this id. Returns null if it does not exist. */
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

/**
 * Finds the newest record by created_at, which is a time of the database's clock. Two processes may create ids within
 * the same millisecond, and the order of these ids is random. So we cannot sort by id.
 */
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
