import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type MigrationFile = {
  name: string;
  sql: string;
  /** SHA-256 (hex) of its text, with the line ends of Unix. */
  checksum: string;
};

/** The migrations of a directory, in their order. */
export async function readMigrationFiles(directory: string): Promise<MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex') };
    }),
  );
}

/** A migration as a database or a backup knows it. The checksum is null where it was applied before they were kept. */
export type KnownMigration = { name: string; checksum: string | null };

/** What of `known` this program does not have as it stands there: a sentence for each kind, empty where all fit. */
export function differencesOf(known: KnownMigration[], files: MigrationFile[]): string[] {
  const here = new Map(files.map(({ name, checksum }) => [name, checksum]));
  const unknown = known.filter(({ name }) => !here.has(name));
  const changed = known.filter(({ name, checksum }) => checksum !== null && (here.get(name) ?? checksum) !== checksum);
  const listed = (migrations: KnownMigration[]): string => migrations.map(({ name }) => name).join(', ');
  return [
    ...(unknown.length > 0 ? [`This program does not have ${listed(unknown)}.`] : []),
    ...(changed.length > 0 ? [`It has another text of ${listed(changed)}.`] : []),
  ];
}
