// The format of a backup: a gzipped COPY text file for each table, and manifest.json. We write manifest.json last.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** We increase this number when a release changes the format in such a way that older releases cannot read it. */
export const BACKUP_FORMAT = 1;

export type TableCopy = {
  name: string;
  columns: string[];
  rows: number;
  /** The size and the SHA-256 (hex) of the compressed file. */
  bytes: number;
  sha256: string;
  /** The UTC days that had their own partition. Empty if the table is not partitioned by day. */
  days: string[];
};

/** Is called after each table, with the tables that are done and all of them. */
export type ReportTables = (done: number, total: number) => void;

export type Manifest = {
  format: number;
  phial_version: string;
  created_at: string;
  server_version: string;
  /** The file names of the applied migrations, in the order in which they were applied. */
  migrations: string[];
  /** The SHA-256 (hex) of each applied migration, by file name. Missing in backups of release 0.1.0. */
  migration_checksums?: Record<string, string>;
  tables: TableCopy[];
  /** The last value of each sequence. It is text, because a JavaScript number may not represent it exactly. */
  sequences: { name: string; last_value: string }[];
};

const MANIFEST = 'manifest.json';

export const manifestPath = (directory: string): string => join(directory, MANIFEST);
export const tablePath = (directory: string, table: string): string => join(directory, `${table}.copy.gz`);

export const countRows = (tables: TableCopy[]): number => tables.reduce((sum, { rows }) => sum + rows, 0);

const checksum = (manifest: Manifest): string => createHash('sha256').update(JSON.stringify(manifest)).digest('hex');

/** Returns the manifest as text, with a checksum of itself. */
export const sealManifest = (manifest: Manifest): string =>
  `${JSON.stringify({ ...manifest, sha256: checksum(manifest) }, null, 2)}\n`;

/**
 * Reads the manifest. Throws if the directory has no finished backup, a damaged backup, or a format that this release
 * does not know.
 */
export async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(manifestPath(directory), 'utf8').catch((error: unknown) => {
    throw new Error(
      `${directory} holds no finished backup: ${MANIFEST} cannot be read. Name the directory that \`phial ` +
        `backup\` wrote.`,
      { cause: error },
    );
  });
  const { sha256, ...manifest } = parse(text, directory);
  if (manifest.format !== BACKUP_FORMAT) {
    throw new Error(
      `The backup is of format ${manifest.format}, and this release reads format ${BACKUP_FORMAT}: restore ` +
        `it with Phial ${manifest.phial_version}, which made it, or a newer release.`,
    );
  }
  if (sha256 !== checksum(manifest)) throw damaged(MANIFEST);
  return manifest;
}

function parse(text: string, directory: string): Manifest & { sha256: string } {
  try {
    return JSON.parse(text) as Manifest & { sha256: string };
  } catch (error) {
    throw damaged(join(directory, MANIFEST), error);
  }
}

/** The error for a file whose content is not the content that `phial backup` wrote. */
export const damaged = (file: string, cause?: unknown): Error =>
  new Error(
    `${file} differs from what \`phial backup\` wrote. The backup is damaged, and nothing was restored. Take ` +
      'another copy of it, or another backup.',
    { cause },
  );

/**
 * Sets options for one transaction. With them, COPY writes the same text on every server, and no timeout applies. If
 * row-level security would hide rows, the transaction fails.
 */
export async function prepareForCopying(client: pg.Client): Promise<void> {
  await client.query(`
    set local client_encoding = 'UTF8'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres';
    set local timezone = 'UTC'; set local bytea_output = 'hex'; set local extra_float_digits = 1;
    set local row_security = off; set local statement_timeout = 0; set local lock_timeout = 0;
    set local idle_in_transaction_session_timeout = 0`);
}
