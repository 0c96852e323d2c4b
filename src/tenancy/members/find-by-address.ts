import { sql } from 'kysely';
import type { TxCtx } from '../../context.ts';
import { throwIfKeyIsUnknown } from '../../privacy/missing-encryption-key.ts';
import { addressHash, type Person } from './person.ts';

export type FoundMember = { id: string; org_id: string; org_name: string; email: string };

/** The most memberships of one address that we look at. */
const MAX_MEMBERSHIPS = 20;
const BATCH = 500;

/**
 * Finds the members with the hash of a mail address, in all organisations, oldest first. `ctx` must have access to all
 * organisations. The caller must not show the result to anybody who has not proved that the address is theirs.
 */
export async function findMembersByAddress(ctx: TxCtx, address_hash: Buffer): Promise<FoundMember[]> {
  await fillAddressHashes(ctx);
  const found = await ctx.db
    .selectFrom('org_members as members')
    .innerJoin('orgs', 'orgs.id', 'members.org_id')
    .select(['members.id', 'members.org_id', 'orgs.name as org_name', 'person'])
    .where('address_hash', '=', address_hash)
    .orderBy('members.id')
    .limit(MAX_MEMBERSHIPS)
    .execute();
  return found.flatMap(({ person, ...member }) => {
    const email = addressOrNull(ctx, { ...member, person });
    return email === null ? [] : [{ ...member, email }];
  });
}

/**
 * Computes the hashes that are missing: of members from before there was a hash, and of members whom an older process
 * added during an upgrade. Usually there are none, and this is one look into an empty index.
 */
async function fillAddressHashes(ctx: TxCtx): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await ctx.db
      .selectFrom('org_members')
      .select(['id', 'org_id', 'person'])
      .where('address_hash', 'is', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    if (rows.length === 0) return;
    const read = rows.flatMap((row) => {
      const email = addressOrNull(ctx, row);
      return email === null ? [] : [{ id: row.id, hash: addressHash(ctx, email) }];
    });
    await sql`
      update org_members set address_hash = read.hash
        from unnest(${read.map(({ id }) => id)}::uuid[], ${read.map(({ hash }) => hash)}::bytea[]) as read (id, hash)
       where org_members.id = read.id`.execute(ctx.db);
    after = rows.at(-1)?.id as string;
  }
}

/** Returns the address of a member. Null if the row is damaged, so that the other members can still sign in. */
function addressOrNull(
  { cipher }: Pick<TxCtx, 'cipher'>,
  { id, org_id, person }: { id: string; org_id: string; person: Buffer },
): string | null {
  try {
    return cipher.openJson<Person>('org_members.person', { team_id: org_id, id }, person).email;
  } catch (error) {
    throwIfKeyIsUnknown(error);
    return null;
  }
}
