// A backup on disk: a gzipped COPY text file for each table, and manifest.json, which is written last.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** Grows when an older release could no longer read what is written. */
export const BACKUP_FORMAT = 1;

export type TableCopy = {
  name: string;
  columns: string[];
  rows: number;
  /** Size and SHA-256 (hex) of the compressed file. */
  bytes: number;
  sha256: string;
  /** UTC days that had a partition of their own; empty where the table is not partitioned by day. */
  days: string[];
};

export type Manifest = {
  format: number;
  phial_version: string;
  created_at: string;
  server_version: string;
  /** Files of the migrations that had been applied, in their order. */
  migrations: string[];
  /** By file, the SHA-256 (hex) of the text that was applied; release 0.1.0 wrote none. */
  migration_checksums?: Record<string, string>;
  tables: TableCopy[];
  /** The last value that each sequence gave out, as text, since it may exceed what a number holds. */
  sequences: { name: string; last_value: string }[];
};

const MANIFEST = 'manifest.json';

export const manifestPath = (directory: string): string => join(directory, MANIFEST);
export const tablePath = (directory: string, table: string): string => join(directory, `${table}.copy.gz`);

const checksum = (manifest: Manifest): string => createHash('sha256').update(JSON.stringify(manifest)).digest('hex');

/** The manifest as text, with a checksum of its own. */
export const sealManifest = (manifest: Manifest): string =>
  `${JSON.stringify({ ...manifest, sha256: checksum(manifest) }, null, 2)}\n`;

/** Throws when the directory holds no finished backup, or one that is damaged or of a format not known here. */
export async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(manifestPath(directory), 'utf8').catch((error: unknown) => {
    throw new Error(
      `${directory} holds no finished backup: ${MANIFEST} cannot be read. Name the directory that \`phial backup\` wrote.`,
      { cause: error },
    );
  });
  const { sha256, ...manifest } = parse(text, directory);
  if (manifest.format !== BACKUP_FORMAT) {
    throw new Error(
      `The backup is of format ${manifest.format}, and this release reads format ${BACKUP_FORMAT}: restore it with Phial ${manifest.phial_version}, which made it, or a newer release.`,
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

/** What to say of a file that is not as it was written. */
export const damaged = (file: string, cause?: unknown): Error =>
  new Error(
    `${file} is not as it was written: the backup is damaged, and nothing was restored. Take another copy of it, or another backup.`,
    { cause },
  );

/**
 * Settings of one transaction that make COPY's text the same on every server and however long it takes, and that turn
 * rows hidden by row-level security into an error.
 */
export async function settleForCopying(client: pg.Client): Promise<void> {
  await client.query(`
    set local client_encoding = 'UTF8'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres';
    set local timezone = 'UTC'; set local bytea_output = 'hex'; set local extra_float_digits = 1;
    set local row_security = off; set local statement_timeout = 0; set local lock_timeout = 0;
    set local idle_in_transaction_session_timeout = 0`);
}
