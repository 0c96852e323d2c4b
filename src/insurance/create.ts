import { CompiledQuery } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { preparedStatement } from '../db/session/prepared.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { findUser } from '../users/find.ts';
import type { InsuranceDetails, StoredInsurance } from './find-latest.ts';
import type { InsuranceInput } from './schemas.ts';

// SQL text instead of a query of Kysely. If Kysely built the statement for each request, the operation would handle a
// tenth fewer requests per second.
const INSERT = `
  insert into insurances (user_id, id, team_id, payor_code, relationship, is_primary, details, company)
  select users.id, $1::uuid, users.team_id, payors.payor_code, $2, $3::boolean, $4::bytea,
    jsonb_build_object('name', payors.name, 'address', payors.org_address)
  from users join payors on payors.payor_code = $5 and (payors.team_id is null or payors.team_id = users.team_id)
  where users.id = $6 and users.team_id = $7 and users.deleted_at is null
  returning company`;

/**
 * Adds an insurance record to a user, and copies the company from the payor directory. One statement checks the user
 * and the payor and inserts the record. The benchmark (bench/) compares this operation with an insert that checks
 * nothing, and a second round trip would cost a third of the rate. If the statement inserts nothing, another query
 * finds the reason. Throws not_found or user_scheduled_for_deletion for the user, and unknown_payor for the payor.
 */
export async function createInsurance(
  ctx: TeamCtx,
  userId: string,
  input: Static<typeof InsuranceInput>,
): Promise<StoredInsurance> {
  const { payor_code, member_id, group_id = null, relationship, insured, guarantor = null, is_primary } = input;
  const id = newId();
  const details: InsuranceDetails = { member_id, group_id, insured, guarantor };
  const {
    rows: [created],
  } = await ctx.db.executeQuery<Pick<StoredInsurance, 'company'>>(
    preparedStatement(
      'insert insurance',
      CompiledQuery.raw(INSERT, [
        id,
        relationship,
        is_primary,
        ctx.cipher.sealJson('insurances.details', { team_id: ctx.team.id, id }, details),
        payor_code,
        userId,
        ctx.team.id,
      ]),
    ),
  );
  if (!created) {
    await findUser(ctx, userId);
    throw new AppError(
      'unknown_payor',
      'There is no payor with this payor_code. GET /v3/insurance/search/payor finds payors; POST ' +
        '/v3/payor adds one of your own.',
    );
  }
  return { id, payor_code, relationship, is_primary, ...details, company: created.company };
}
