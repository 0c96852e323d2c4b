import type { Ctx } from '../../context.ts';
import { wordsOf } from '../../wire/text.ts';

/** What `org_members.person` holds, sealed. */
export type Person = { name: string; email: string };

/** Addresses are the same in upper and lower case: no mail server of today tells them apart. */
export const emailHash = ({ cipher }: Pick<Ctx, 'cipher'>, orgId: string, email: string): Buffer =>
  cipher.lookupHash('person_email', orgId, email.toLowerCase());

/** What people are found by: hashes of the words of a name, an address or a search, each once. */
export const wordHashes = ({ cipher }: Pick<Ctx, 'cipher'>, orgId: string, text: string): Buffer[] =>
  [...new Set(wordsOf(text))].map((word) => cipher.lookupHash('person_word', orgId, word));
