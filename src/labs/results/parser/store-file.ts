import { createHash } from 'node:crypto';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { kindOfReport } from './file-kind.ts';
import { MAX_FILE_BYTES, reserveQuota } from './reserve-quota.ts';

/**
 * The size of the chunks in which we seal and write a file, so that only one chunk is in memory at a time. The first
 * chunk also shows the kind of the file.
 */
const CHUNK_BYTES = 256 * 1024;

/**
 * Stores a file while it arrives, and seals each chunk. The caller creates the job after all its files are stored.
 * Returns the digest of the file's bytes. Throws file_not_recognised, file_too_large and limit_reached.
 */
export async function storeFile(
  ctx: TeamCtx,
  { job_id, n }: { job_id: string; n: number },
  content: AsyncIterable<Buffer>,
): Promise<string> {
  const id = newId();
  const digest = createHash('sha256');
  let bytes = 0;
  let chunks = 0;
  for await (const chunk of inChunks(content)) {
    bytes += chunk.length;
    digest.update(chunk);
    if (bytes > MAX_FILE_BYTES) {
      throw new AppError('file_too_large', `A file can have at most ${MAX_FILE_BYTES} bytes.`);
    }
    if (chunks === 0) await begin(ctx, { id, job_id, n }, chunk);
    await ctx.db
      .insertInto('lab_report_chunks')
      .values({
        file_id: id,
        n: chunks,
        team_id: ctx.team.id,
        content: ctx.cipher.sealBytes('lab_report_chunks.content', chunkOf(ctx.team.id, id, chunks), chunk),
      })
      .execute();
    chunks += 1;
  }
  if (chunks === 0) throw notRecognised(n);
  await ctx.db
    .updateTable('lab_report_files')
    .set({ bytes })
    .where('id', '=', id)
    .where('team_id', '=', ctx.team.id)
    .execute();
  return digest.digest('hex');
}

/**
 * Reads a file from the first chunk to the last. Only one chunk is in memory at a time. Throws if a chunk is missing.
 */
export async function* openFile(ctx: TeamCtx, fileId: string, bytes: number): AsyncGenerator<Buffer, void, undefined> {
  let read = 0;
  for (let n = 0; read < bytes; n += 1) {
    const { content } = await ctx.db
      .selectFrom('lab_report_chunks')
      .select('content')
      .where('file_id', '=', fileId)
      .where('n', '=', n)
      .where('team_id', '=', ctx.team.id)
      .executeTakeFirstOrThrow();
    const chunk = ctx.cipher.openBytes('lab_report_chunks.content', chunkOf(ctx.team.id, fileId, n), content);
    read += chunk.length;
    yield chunk;
  }
}

/** Deletes the files that have arrived for a job that we will not create. */
export async function forgetFiles(ctx: TeamCtx, job_id: string): Promise<void> {
  await ctx.db
    .deleteFrom('lab_report_files')
    .where('job_id', '=', job_id)
    .where('team_id', '=', ctx.team.id)
    .where('is_stored', '=', false)
    .execute();
}

async function begin(ctx: TeamCtx, file: { id: string; job_id: string; n: number }, head: Buffer): Promise<void> {
  const kind = kindOfReport(head);
  if (kind === null) throw notRecognised(file.n);
  if (kind === 'too_large') throw new AppError('file_too_large', 'An image can have at most 64 million pixels.');
  await reserveQuota(ctx, { ...file, kind });
}

function notRecognised(n: number): AppError {
  const msg = 'This is not a PDF, JPEG or PNG file.';
  return new AppError('file_not_recognised', msg, {
    detail: [{ type: 'value_error', loc: ['body', 'file', n], msg }],
  });
}

const chunkOf = (team_id: string, fileId: string, n: number) => ({ team_id, id: `${fileId}/${n}` });

async function* inChunks(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let buffered: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    buffered.push(chunk);
    bytes += chunk.length;
    if (bytes < CHUNK_BYTES) continue;
    const joined = Buffer.concat(buffered);
    let from = 0;
    for (; joined.length - from >= CHUNK_BYTES; from += CHUNK_BYTES) yield joined.subarray(from, from + CHUNK_BYTES);
    [buffered, bytes] = [[joined.subarray(from)], joined.length - from];
  }
  if (bytes > 0) yield Buffer.concat(buffered);
}
