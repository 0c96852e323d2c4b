import { randomBytes } from 'node:crypto';
import type { ManagementCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { refuseBeyondLimit, lockLimit } from '../limits.ts';
import { DOMAIN_COLUMNS, type DomainRow } from './render.ts';

/**
 * Adds a domain, which the organisation must verify later. Throws limit_reached, and domain_exists if the organisation
 * already has the domain.
 */
export function createDomain(ctx: ManagementCtx, domain: string): Promise<DomainRow> {
  return inTransaction(ctx, async (ctx) => {
    await lockLimit(ctx, 'domainsPerOrg', ctx.org.id);
    const there = await ctx.db.selectFrom('org_domains').select('domain').where('org_id', '=', ctx.org.id).execute();
    if (there.some((row) => row.domain === domain)) {
      throw new AppError('domain_exists', 'The organisation already has this domain. GET …/domain returns its id.');
    }
    await refuseBeyondLimit(ctx, 'domainsPerOrg', ctx.org.id, async () => there.length);
    return ctx.db
      .insertInto('org_domains')
      .values({
        id: newId(),
        org_id: ctx.org.id,
        domain,
        proof: `phial-verification=${randomBytes(16).toString('hex')}`,
      })
      .returning(DOMAIN_COLUMNS)
      .executeTakeFirstOrThrow();
  });
}
