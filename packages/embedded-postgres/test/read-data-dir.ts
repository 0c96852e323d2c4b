import { readdir } from 'node:fs/promises';

/**
 * Returns what a data directory contains, without a finished copy of PostgreSQL's programs. The copy is there only if
 * the server's account cannot reach the package, for example in a clone below a private folder of root.
 */
export async function readDataDir(dataDir: string): Promise<string[]> {
  const isCopy = (name: string): boolean => name.startsWith('postgres-bin-') && !name.includes('.new-');
  return (await readdir(dataDir)).filter((name) => !isCopy(name)).toSorted();
}
