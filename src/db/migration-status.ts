import type pg from 'pg';
import { differencesOf, readMigrationFiles, type KnownMigration } from './migration-files.ts';

/** `pending` are the files that the database lacks. `differences` are the sentences of `differencesOf`. */
export type MigrationStatus = { applied: number; pending: string[]; differences: string[] };

/** Compares the migrations of a database with those of a directory, and changes nothing. */
export async function readMigrationStatus(client: pg.Client, directory: string): Promise<MigrationStatus> {
  const files = await readMigrationFiles(directory);
  const known = await readKnown(client);
  const names = new Set(known.map(({ name }) => name));
  return {
    applied: known.length,
    pending: files.filter(({ name }) => !names.has(name)).map(({ name }) => name),
    differences: differencesOf(known, files),
  };
}

/** A database of release 0.1.0 has no checksums, and an empty one has no table. */
async function readKnown(client: pg.Client): Promise<KnownMigration[]> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = to_regclass('public.migrations') and attnum > 0`,
  );
  if (columns.length === 0) return [];
  const checksum = columns.some(({ name }) => name === 'checksum') ? 'checksum' : 'null as checksum';
  return (await client.query<KnownMigration>(`select name, ${checksum} from public.migrations order by name`)).rows;
}
