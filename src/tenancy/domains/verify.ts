import { sql } from 'kysely';
import type { ManagementCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { NameNotResolved, openResolver, type TextResolver } from '../../outbound/open-resolver.ts';
import { findDomain } from './find.ts';
import { proofName } from './render.ts';

/**
 * Looks up the DNS record that proves that the organisation owns the domain. It does not check a verified domain again.
 * While this function waits for a name server, it has no transaction open and uses no permit of the organisation.
 * Throws not_found.
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

/** Returns the TXT records of a name. If no name server answers, it returns none, because the owner can try again. */
async function textsOf({ config, org }: ManagementCtx, name: string): Promise<string[]> {
  try {
    return await resolverOf(config.domainNameServers).texts({ org: org.id, team: org.id }, name);
  } catch (error) {
    if (error instanceof NameNotResolved) return [];
    throw error;
  }
}

/**
 * The resolvers by their name servers. A process has one resolver, which all organisations share in round robin. Only
 * tests use several lists of name servers.
 */
const resolvers = new Map<string, TextResolver>();

function resolverOf(servers: readonly string[] | null): TextResolver {
  const name = servers?.join() ?? '';
  const known = resolvers.get(name);
  if (known) return known;
  const resolver = openResolver(servers === null ? {} : { servers: [...servers] });
  resolvers.set(name, resolver);
  return resolver;
}
