import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Payor, PayorInput } from './schemas.ts';

const CODE_BYTES = 8;

/** Adds a payor that only this team finds and may bill, under a payor_code of our own making. */
export function createPayor(ctx: TeamCtx, input: Static<typeof PayorInput>): Promise<Static<typeof Payor>> {
  const { name, address, provider, provider_payor_id } = input;
  return inTransaction(ctx, async (ctx) => {
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
    if (provider && provider_payor_id) {
      await ctx.db
        .insertInto('payor_external_codes')
        .values({ payor_code: payor.payor_code, provider, provider_payor_id })
        .execute();
    }
    return { ...payor, org_address: address, source: 'team' };
  });
}
