import { readFile } from 'node:fs/promises';
import type { HttpSettings } from './settings.ts';

const MOST_SECRETS = 2;
const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** What is wrong with a file of secrets; never anything of its contents. */
export class SecretUnreadable extends Error {}

/**
 * The secrets of a scheduler, a line each. Read anew each time, so that a change needs no restart; the file stays
 * outside of the database, as certificates of laboratories do.
 */
export async function readSecrets({ secret_file }: Pick<HttpSettings, 'secret_file'>): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(secret_file, 'utf8');
  } catch (error) {
    throw new SecretUnreadable(`secret_file cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
  }
  const secrets = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (secrets.length === 0 || secrets.length > MOST_SECRETS || !secrets.every((secret) => SECRET.test(secret)))
    throw new SecretUnreadable(
      'secret_file has to hold one secret, or two while it changes: whsec_ and 24 to 64 bytes in base64, a line each.',
    );
  return secrets;
}
