import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { lockName } from '../db/session/named-lock.ts';
import type { Payor, PayorInput } from './schemas.ts';

const CODE_BYTES = 8;

/**
 * Adds a payor (a company that pays bills) for the caller's team. Only this team can find and bill it. We generate the
 * payor_code. If the team has already added a payor with the same code of the same clearing house, the function returns
 * that payor.
 */
export function createPayor(ctx: TeamCtx, input: Static<typeof PayorInput>): Promise<Static<typeof Payor>> {
  const { name, address, provider, provider_payor_id } = input;
  return inTransaction(ctx, async (ctx) => {
    const external = provider && provider_payor_id ? { provider, provider_payor_id } : null;
    if (external) {
      const known = await findByExternalCodeOrNull(ctx, external);
      if (known) return known;
    }
    const payor = await ctx.db
      .insertInto('payors')
      .values({
        payor_code: `TEAM-${randomBytes(CODE_BYTES).toString('hex').toUpperCase()}`,
        team_id: ctx.team.id,
        name,
        org_address: JSON.stringify(address),
      })
      .returning(['payor_code', 'name', 'aliases'])
      .executeTakeFirstOrThrow();
    if (external) {
      await ctx.db
        .insertInto('payor_external_codes')
        .values({ payor_code: payor.payor_code, ...external })
        .execute();
    }
    return { ...payor, org_address: address, source: 'team' };
  });
}

/**
 * Finds the team's payor with this code of a clearing house. If two requests with the same code arrive at the same
 * time, the second waits here until the first has committed.
 */
async function findByExternalCodeOrNull(
  { db, team }: TxCtx<TeamCtx>,
  { provider, provider_payor_id: code }: { provider: string; provider_payor_id: string },
): Promise<Static<typeof Payor> | null> {
  await lockName(db, 'payor', team.id, provider, code);
  const row = await db
    .selectFrom('payors')
    .innerJoin('payor_external_codes as codes', 'codes.payor_code', 'payors.payor_code')
    .select(['payors.payor_code', 'payors.name', 'payors.aliases', 'payors.org_address'])
    .where('payors.team_id', '=', team.id)
    .where('codes.provider', '=', provider)
    .where('codes.provider_payor_id', '=', code)
    .orderBy('payors.created_at')
    .limit(1)
    .executeTakeFirst();
  return row ? { ...row, org_address: row.org_address as Static<typeof Payor>['org_address'], source: 'team' } : null;
}
