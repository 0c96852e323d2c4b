import { setImmediate as nextImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Static } from 'typebox';
import { columnTypes } from '../query-result.ts';
import type { QueryPlan } from '../read-query.ts';
import type { AggregationResult } from '../schemas.ts';
import { toParquet } from './parquet.ts';

export const PARQUET_ARCHIVE = 'application/vnd.phial.tar+gzip+parquet';

/**
 * Makes a compressed archive with one Parquet file for each table. The files are named `0.parquet`, `1.parquet` and so
 * on, in the order of the tables.
 */
export async function toArchive(plans: QueryPlan[], results: Static<typeof AggregationResult>[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (const [index, result] of results.entries()) {
    parts.push(...entry(`${index}.parquet`, toParquet(result, columnTypes(plans[index] as QueryPlan))));
    // The process makes one table without a pause. Between two tables it does other work, so that no request waits for
    // all tables.
    await nextImmediate();
  }
  return promisify(gzip)(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]));
}

const BLOCK = 512;

/**
 * Returns an entry of an archive in the ustar format (POSIX.1-2001, pax): a header, the bytes, and zeros up to the next
 * block.
 */
function entry(name: string, content: Buffer): Buffer[] {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(content.length, 12), 124);
  header.write(octal(0, 12), 136);
  // The checksum covers its own field. The format requires that this field contains spaces while the checksum is
  // computed.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte),
      7,
    )} `,
    148,
  );
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}
