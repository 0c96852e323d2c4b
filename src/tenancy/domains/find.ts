import type { ManagementCtx, TxCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { DOMAIN_COLUMNS, type DomainRow } from './render.ts';

/** Returns a domain of the caller's organisation. Throws not_found if there is none. */
export async function findDomain(ctx: ManagementCtx | TxCtx<ManagementCtx>, domainId: string): Promise<DomainRow> {
  const row = await ctx.db
    .selectFrom('org_domains')
    .select(DOMAIN_COLUMNS)
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', domainId)
    .executeTakeFirst();
  if (!row) throw notFound('Domain');
  return row;
}
