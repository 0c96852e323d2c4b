import { readFile } from 'node:fs/promises';
import type { HttpSettings } from './scheduler-settings.ts';

const MAX_SECRETS = 2;
const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** Thrown if a file of secrets cannot be used. The message never contains any text of the file. */
export class SecretUnreadable extends Error {}

/**
 * Reads the secrets of a scheduler, one on each line of a file. We read the file for each request, so a change needs no
 * restart. The secrets stay out of the database, as the certificates of laboratories do.
 */
export async function readSecrets({ secret_file }: Pick<HttpSettings, 'secret_file'>): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(secret_file, 'utf8');
  } catch (error) {
    throw new SecretUnreadable(`secret_file cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
  }
  const secrets = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (secrets.length === 0 || secrets.length > MAX_SECRETS || !secrets.every((secret) => SECRET.test(secret)))
    throw new SecretUnreadable(
      'secret_file must contain one secret, or two during a change: whsec_ and 24 to 64 bytes in base64, one ' +
        'on each line.',
    );
  return secrets;
}
