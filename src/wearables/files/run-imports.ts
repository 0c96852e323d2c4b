import { access } from 'node:fs/promises';
import { setTimeout as rest } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Ctx, TeamCtx } from '../../context.ts';
import { defineJob } from '../../db/define-job.ts';
import { AppError } from '../../errors.ts';
import { ownerOf } from '../../fair/round-robin.ts';
import { giveBack, workQueue } from '../../files/file-queue.ts';
import { endImport, IMPORTS, LeaseLost, type Claimed } from './claim.ts';
import { ImportFailure, isFailureCode, type FailureCode } from './failures.ts';
import { importsKind } from './imports-kind.ts';
import { parseFile } from './parser-process.ts';
import { storePiece } from './store-piece.ts';
import { removeUpload, uploadPath } from './upload-folder.ts';

const NEVER = new AbortController().signal;

/** Each minute too, for what a process left behind when it was killed. */
export const fileImports = defineJob({
  ...importsKind,
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: (ctx) => runImports(ctx),
});

/** Imports what waits, until nothing does or the process stops. */
export const runImports = (ctx: Ctx): Promise<void> =>
  workQueue<Claimed>(ctx, { ...IMPORTS, work: importFile, giveUp: (scoped, each) => end(scoped, each, 'interrupted') });

async function importFile(ctx: TeamCtx, claimed: Claimed): Promise<void> {
  try {
    await storeAll(ctx, claimed);
    if (ctx.stopping?.aborted) return await giveBack(ctx, IMPORTS, claimed);
    await end(ctx, claimed, null);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const code = failureOfError(error);
    if (code === null) throw error;
    await end(ctx, claimed, code);
  }
}

/** With the file, which nobody reads again. */
async function end(ctx: TeamCtx, claimed: Claimed, error: FailureCode | null): Promise<void> {
  await endImport(ctx, claimed, error);
  await removeUpload(ctx.config, claimed.id);
}

async function storeAll(ctx: TeamCtx, claimed: Claimed): Promise<void> {
  const { config, stopping: signal = NEVER } = ctx;
  const path = uploadPath(config, claimed.id);
  await access(path).catch(() => {
    throw new ImportFailure('file_gone');
  });
  const { expandedBytes, cpuSeconds, importMs } = config.uploads;
  // What it waits for its turn takes nothing of its time.
  const work = { leftMs: importMs };
  const { reserveBytes } = config.storage;
  const pieces = parseFile({ path, kind: claimed.kind }, { expandedBytes, reserveBytes, cpuSeconds, work, signal });
  for await (const piece of pieces) {
    let tookMs = 0;
    await ctx.bulk.run(ownerOf(ctx.team), async (giveWay) => {
      const begunAt = performance.now();
      await storePiece({ ...ctx, giveWay }, claimed, piece);
      tookMs = performance.now() - begunAt;
    });
    work.leftMs -= tookMs;
    // The team's own requests have as much of the process and of the database as its import, and so have other processes'.
    await rest(tookMs);
  }
}

/** Null of what may go better another time. */
function failureOfError(error: unknown): FailureCode | null {
  if (!(error instanceof ImportFailure || error instanceof AppError)) return null;
  return isFailureCode(error.code) ? error.code : null;
}
