import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { addJob } from '../../db/define-job.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { isDiskFull } from '../../disk-space.ts';
import { refuseWhereStorageIsFull } from '../../files/free-storage.ts';
import { newId } from '../../ids.ts';
import { findUser } from '../../users/find.ts';
import { HEAD_BYTES, kindOfFile } from './file-kind.ts';
import { findImport } from './find-import.ts';
import { importsKind } from './imports-kind.ts';
import type { FileImport } from './schemas.ts';
import { reserveQuota, type Upload } from './reserve-quota.ts';
import { createUpload, removeUpload } from './upload-folder.ts';

/**
 * The number of bytes that an upload reserves at a time. With small steps, an upload of gigabytes would need many
 * statements.
 */
const STEP_BYTES = 64 * 1024 * 1024;

/**
 * Writes a file to the disk while it arrives, and then queues its import. If the upload is refused or interrupted,
 * removes the written part of the file. Throws file_not_recognised after the first bytes. Throws file_too_large,
 * limit_reached and storage_full while the file arrives.
 */
export async function startImport(ctx: TeamCtx, userId: string, body: Readable): Promise<Static<typeof FileImport>> {
  const user = await findUser(ctx, userId);
  await refuseWhereStorageIsFull(ctx);
  let head: Buffer = Buffer.alloc(0);
  let writing: Writing | null = null;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (writing) await write(ctx, writing, chunk);
      else {
        head = Buffer.concat([head, chunk]);
        if (head.length >= HEAD_BYTES) writing = await begin(ctx, user.id, head);
      }
    }
    writing ??= await begin(ctx, user.id, head);
    await writing.file.datasync();
    await writing.file.close();
    return await queue(ctx, writing);
  } catch (error) {
    if (writing) await undo(ctx, writing);
    throw isDiskFull(error)
      ? new AppError('storage_full', 'There is no room for files now. Send this file again later.')
      : error;
  }
}

type Writing = { upload: Upload; file: FileHandle; bytes: number; reserved: number };

async function begin(ctx: TeamCtx, user_id: string, head: Buffer): Promise<Writing> {
  const kind = kindOfFile(head);
  if (kind === null) {
    const msg =
      'The file is not an export of Apple Health, Garmin, Google Takeout or Samsung Health, nor a FIT, TCX or GPX ' +
      'file.';
    throw new AppError('file_not_recognised', msg, { detail: [{ type: 'value_error', loc: ['body'], msg }] });
  }
  const upload: Upload = { id: newId(), user_id, kind };
  const { fileBytes, teamBytes } = ctx.config.uploads;
  const step = Math.min(STEP_BYTES, fileBytes, teamBytes, ctx.config.orgBytes.uploads);
  await reserveQuota(ctx, upload, step);
  const writing: Writing = { upload, file: await opened(ctx, upload), bytes: 0, reserved: step };
  try {
    await write(ctx, writing, head);
  } catch (error) {
    await undo(ctx, writing);
    throw error;
  }
  return writing;
}

async function opened(ctx: TeamCtx, upload: Upload): Promise<FileHandle> {
  try {
    return await createUpload(ctx.config, upload.id);
  } catch (error) {
    await forget(ctx, upload);
    throw error;
  }
}

async function write(ctx: TeamCtx, writing: Writing, chunk: Buffer): Promise<void> {
  writing.bytes += chunk.length;
  const { fileBytes } = ctx.config.uploads;
  if (writing.bytes > fileBytes) {
    throw new AppError('file_too_large', `A file can have at most ${fileBytes} bytes.`);
  }
  while (writing.bytes > writing.reserved) {
    await refuseWhereStorageIsFull(ctx);
    writing.reserved += STEP_BYTES;
    await reserveQuota(ctx, writing.upload, writing.reserved);
  }
  await writing.file.writeFile(chunk);
}

async function queue(ctx: TeamCtx, { upload: { id, user_id }, bytes }: Writing): Promise<Static<typeof FileImport>> {
  return inTransaction(ctx, async (tx) => {
    await findUser(tx, user_id);
    await tx.db
      .updateTable('imports')
      .set({ status: 'queued', bytes })
      .where('user_id', '=', user_id)
      .where('id', '=', id)
      .where('team_id', '=', tx.team.id)
      .execute();
    await addJob(tx.db, importsKind, {});
    return findImport(tx, user_id, id);
  });
}

async function undo(ctx: TeamCtx, { upload, file }: Writing): Promise<void> {
  await file.close().catch(() => undefined);
  await removeUpload(ctx.config, upload.id);
  await forget(ctx, upload);
}

const forget = async (ctx: TeamCtx, { id, user_id }: Upload): Promise<void> => {
  await ctx.db
    .deleteFrom('imports')
    .where('user_id', '=', user_id)
    .where('id', '=', id)
    .where('team_id', '=', ctx.team.id)
    .where('status', '=', 'uploading')
    .execute();
};
