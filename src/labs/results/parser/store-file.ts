import { createHash } from 'node:crypto';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { kindOfReport } from './file-kind.ts';
import { MOST_FILE_BYTES, setAside } from './set-aside.ts';

/** So much is held in memory of a file that arrives, sealed and written; its first piece tells what it is. */
const PIECE_BYTES = 256 * 1024;

/**
 * Writes a file as it arrives, sealed piece by piece, for a job that will be there when all of its files are; returns the
 * digest of its bytes. Throws file_not_recognised, file_too_large and limit_reached.
 */
export async function storeFile(
  ctx: TeamCtx,
  { job_id, n }: { job_id: string; n: number },
  content: AsyncIterable<Buffer>,
): Promise<string> {
  const id = newId();
  const digest = createHash('sha256');
  let bytes = 0;
  let pieces = 0;
  for await (const piece of inPieces(content)) {
    bytes += piece.length;
    digest.update(piece);
    if (bytes > MOST_FILE_BYTES) {
      throw new AppError('file_too_large', `A file can have at most ${MOST_FILE_BYTES} bytes.`);
    }
    if (pieces === 0) await begin(ctx, { id, job_id, n }, piece);
    await ctx.db
      .insertInto('lab_report_pieces')
      .values({
        file_id: id,
        n: pieces,
        team_id: ctx.team.id,
        content: ctx.cipher.sealBytes('lab_report_pieces.content', pieceOf(ctx.team.id, id, pieces), piece),
      })
      .execute();
    pieces += 1;
  }
  if (pieces === 0) throw notRecognised(n);
  await ctx.db
    .updateTable('lab_report_files')
    .set({ bytes })
    .where('id', '=', id)
    .where('team_id', '=', ctx.team.id)
    .execute();
  return digest.digest('hex');
}

/** A file from its first piece to its last, one in memory at a time. Throws where one is missing. */
export async function* openFile(ctx: TeamCtx, fileId: string, bytes: number): AsyncGenerator<Buffer, void, undefined> {
  let read = 0;
  for (let n = 0; read < bytes; n += 1) {
    const { content } = await ctx.db
      .selectFrom('lab_report_pieces')
      .select('content')
      .where('file_id', '=', fileId)
      .where('n', '=', n)
      .where('team_id', '=', ctx.team.id)
      .executeTakeFirstOrThrow();
    const piece = ctx.cipher.openBytes('lab_report_pieces.content', pieceOf(ctx.team.id, fileId, n), content);
    read += piece.length;
    yield piece;
  }
}

/** What has arrived for a job that will not be there. */
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
  await setAside(ctx, { ...file, kind });
}

function notRecognised(n: number): AppError {
  const msg = 'This is no PDF, JPEG or PNG file.';
  return new AppError('file_not_recognised', msg, {
    detail: [{ type: 'value_error', loc: ['body', 'file', n], msg }],
  });
}

const pieceOf = (team_id: string, fileId: string, n: number) => ({ team_id, id: `${fileId}/${n}` });

async function* inPieces(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < PIECE_BYTES) continue;
    const joined = Buffer.concat(held);
    let from = 0;
    for (; joined.length - from >= PIECE_BYTES; from += PIECE_BYTES) yield joined.subarray(from, from + PIECE_BYTES);
    [held, bytes] = [[joined.subarray(from)], joined.length - from];
  }
  if (bytes > 0) yield Buffer.concat(held);
}
