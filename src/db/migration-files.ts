import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type MigrationFile = {
  name: string;
  sql: string;
  /** The SHA-256 (hex) of the file's text with Unix line ends. */
  checksum: string;
};

/** Returns the migrations of a directory, in the order in which they apply. */
export async function readMigrationFiles(directory: string): Promise<MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex') };
    }),
  );
}

/**
 * A migration in the list of a database or a backup. The checksum is null if a release without checksums applied the
 * migration.
 */
export type KnownMigration = { name: string; checksum: string | null };

/**
 * Compares `known` with the migration files of this program. Returns a sentence for each kind of difference, or an
 * empty list.
 */
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
