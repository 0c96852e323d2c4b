import { sql } from 'kysely';
import type { ManagementCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { NameNotAnswered, openResolver, type TextResolver } from '../../outbound/resolve.ts';
import { findDomain } from './find.ts';
import { proofName } from './render.ts';

/**
 * Asks the DNS whether the proof is there; what it has shown once is not asked again. No transaction is open, and no place of
 * the organisation taken, while a name server thinks. Throws not_found.
 */
export async function verifyDomain(ctx: ManagementCtx, domainId: string): Promise<'verified' | 'pending'> {
  const domain = await findDomain(ctx, domainId);
  if (domain.verified_at !== null) return 'verified';
  const ask = (): Promise<string[]> => textsOf(ctx, proofName(domain));
  const texts = await (ctx.aside ? ctx.aside(ask) : ask());
  if (!texts.includes(domain.proof)) return 'pending';
  const verified = await ctx.db
    .updateTable('org_domains')
    .set({ verified_at: sql`coalesce(verified_at, now())` })
    .where('org_id', '=', ctx.org.id)
    .where('id', '=', domain.id)
    .returning('id')
    .executeTakeFirst();
  if (!verified) throw notFound('Domain');
  return 'verified';
}

/** Nobody who answers is as good as no answer: the owner asks again. */
async function textsOf({ config, org }: ManagementCtx, name: string): Promise<string[]> {
  try {
    return await resolverOf(config.domainNameServers).texts({ org: org.id, team: org.id }, name);
  } catch (error) {
    if (error instanceof NameNotAnswered) return [];
    throw error;
  }
}

/** One a process, whose look-ups are shared among organisations; tests have several. */
const resolvers = new Map<string, TextResolver>();

function resolverOf(servers: readonly string[] | null): TextResolver {
  const name = servers?.join() ?? '';
  const known = resolvers.get(name);
  if (known) return known;
  const resolver = openResolver(servers === null ? {} : { servers: [...servers] });
  resolvers.set(name, resolver);
  return resolver;
}
