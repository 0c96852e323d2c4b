import type { Ctx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { notFound } from '../../errors.ts';

/** Finds an organisation by its id. It checks no key, so the caller must have access to it. Throws not_found. */
export async function findOrg(ctx: Ctx, id: string): Promise<{ id: string; name: string }> {
  const org = await boundToOrg(ctx, id)
    .db.selectFrom('orgs')
    .select(['id', 'name'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!org) throw notFound('Organisation');
  return org;
}
