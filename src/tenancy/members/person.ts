import type { Ctx } from '../../context.ts';
import { wordsOf } from '../../wire/text.ts';

/** The decrypted content of `org_members.person`. */
export type Person = { name: string; email: string };

/**
 * Returns the hash by which we find a mail address. It ignores the case of letters, like mail servers do. The address
 * must be one of `isEmail`: other letters may become ASCII letters, and so the address of somebody else.
 */
export const emailHash = ({ cipher }: Pick<Ctx, 'cipher'>, orgId: string, email: string): Buffer =>
  cipher.lookupHash('person_email', orgId, email.toLowerCase());

/** Returns the hash by which we find the members with a mail address in all organisations. See `emailHash`. */
export const addressHash = ({ cipher }: Pick<Ctx, 'cipher'>, email: string): Buffer =>
  cipher.lookupHash('sign_in_address', 'deployment', email.toLowerCase());

/**
 * Returns the hashes of the distinct words of a text, by which a search finds people. The text is a name, an address or
 * the searched text.
 */
export const wordHashes = ({ cipher }: Pick<Ctx, 'cipher'>, orgId: string, text: string): Buffer[] =>
  [...new Set(wordsOf(text))].map((word) => cipher.lookupHash('person_word', orgId, word));
