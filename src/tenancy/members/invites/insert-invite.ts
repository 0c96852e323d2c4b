import type { TxCtx } from '../../../context.ts';
import { newId } from '../../../ids.ts';
import type { StoredCreator } from '../../creator.ts';
import { emailHash, wordHashes } from '../person.ts';
import type { BoundRole } from '../role.ts';

type NewInvite = { org_id: string; email: string; bound: BoundRole; creator: StoredCreator };

/** Inserts an open invite and returns its id. It sends no mail. */
export async function insertInvite(
  { db, cipher }: TxCtx,
  { org_id, email, bound, creator }: NewInvite,
): Promise<string> {
  const id = newId();
  await db
    .insertInto('org_invites')
    .values({
      id,
      org_id,
      email: cipher.sealText('org_invites.email', { team_id: org_id, id }, email),
      email_hash: emailHash({ cipher }, org_id, email),
      words: wordHashes({ cipher }, org_id, email),
      ...bound,
      ...creator,
    })
    .execute();
  return id;
}
