import type { TxCtx } from '../../context.ts';
import { addressHash, emailHash, wordHashes, type Person } from './person.ts';

type NewMember = Person & { id: string; org_id: string; role: string; team_ids: string[] | null };

/** Inserts a member of an organisation. */
export async function insertMember(
  { db, cipher }: TxCtx,
  { id, org_id, name, email, role, team_ids }: NewMember,
): Promise<void> {
  await db
    .insertInto('org_members')
    .values({
      id,
      org_id,
      person: cipher.sealJson('org_members.person', { team_id: org_id, id }, { name, email }),
      email_hash: emailHash({ cipher }, org_id, email),
      address_hash: addressHash({ cipher }, email),
      words: wordHashes({ cipher }, org_id, `${name} ${email}`),
      role,
      team_ids,
    })
    .execute();
}
