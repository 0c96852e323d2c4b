import { readFileSync, statSync } from 'node:fs';
import { WrongValue } from './option-kinds.ts';
import { OPTIONS, type Option } from './option-table.ts';
import type { Env } from './read-environment.ts';

/** A secret is shorter. The bound keeps a wrong path, for example of a disk, from being read. */
const MAX_BYTES = 65_536;

/** The option that names a file with the value. Container platforms hand out secrets as files. */
const fileOptionOf = (name: string): string => `${name}_FILE`;

const SECRETS = new Set(Object.entries<Option>(OPTIONS).flatMap(([name, { secret }]) => (secret ? [name] : [])));

export const FILE_OPTIONS_OF_SECRETS: readonly string[] = [...SECRETS].map(fileOptionOf);

/**
 * Returns the text of an option, or undefined if it is not set. A secret can be in a file. White space around the text
 * is left out. Throws WrongValue, with a message that never contains the secret.
 */
export function textOfOption(env: Env, name: string): string | undefined {
  const text = env[name]?.trim();
  const option = fileOptionOf(name);
  const file = SECRETS.has(name) ? env[option]?.trim() : undefined;
  if (!file) return text;
  if (text) throw new WrongValue(`and ${option} are both set. Give the secret in one of them.`);
  const secret = readSecret(file);
  if (secret === null) throw new WrongValue(`cannot be read from ${JSON.stringify(file)}, which ${option} names.`);
  if (secret === '') throw new WrongValue(`is empty in ${JSON.stringify(file)}, which ${option} names.`);
  return secret;
}

/** Returns null if the file is missing, is no ordinary file, is too large, or may not be read. */
function readSecret(file: string): string | null {
  try {
    return statSync(file).size > MAX_BYTES ? null : readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}
