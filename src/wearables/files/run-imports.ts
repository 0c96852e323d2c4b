import { access } from 'node:fs/promises';
import { setTimeout as rest } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Ctx, TeamCtx } from '../../context.ts';
import { defineJob } from '../../db/define-job.ts';
import { AppError } from '../../errors.ts';
import { ownerOf } from '../../fair/round-robin.ts';
import { returnJob, workQueue } from '../../files/file-queue.ts';
import { endImport, IMPORTS, LeaseLost, type ClaimedImport } from './import-lease.ts';
import { ImportFailure, isFailureCode, type FailureCode } from './failures.ts';
import { importsKind } from './imports-kind.ts';
import { parseFile } from './parse-file.ts';
import { storeParsedChunk } from './store-parsed-chunk.ts';
import { removeUpload, uploadPath } from './upload-folder.ts';

const NEVER = new AbortController().signal;

/** The job that runs imports. Every minute it also continues imports whose process was killed. */
export const fileImports = defineJob({
  ...importsKind,
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: (ctx) => runImports(ctx),
});

/** Runs waiting imports until there are none or the process stops. */
export const runImports = (ctx: Ctx): Promise<void> =>
  workQueue<ClaimedImport>(ctx, {
    ...IMPORTS,
    work: importFile,
    giveUp: (scoped, each) => end(scoped, each, 'interrupted'),
  });

async function importFile(ctx: TeamCtx, claimed: ClaimedImport): Promise<void> {
  try {
    await storeAll(ctx, claimed);
    if (ctx.stopping?.aborted) return await returnJob(ctx, IMPORTS, claimed);
    await end(ctx, claimed, null);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const code = failureOfError(error);
    if (code === null) throw error;
    await end(ctx, claimed, code);
  }
}

/** Ends the import and removes its file. */
async function end(ctx: TeamCtx, claimed: ClaimedImport, error: FailureCode | null): Promise<void> {
  await endImport(ctx, claimed, error);
  await removeUpload(ctx.config, claimed.id);
}

async function storeAll(ctx: TeamCtx, claimed: ClaimedImport): Promise<void> {
  const { config, stopping: signal = NEVER } = ctx;
  const path = uploadPath(config, claimed.id);
  await access(path).catch(() => {
    throw new ImportFailure('file_gone');
  });
  const { expandedBytes, cpuSeconds, importMs } = config.uploads;
  // The time left decreases while the import reads or stores data. It does not decrease while the import waits for its
  // turn to store a chunk.
  const work = { leftMs: importMs };
  const { reserveBytes } = config.storage;
  const chunks = parseFile({ path, kind: claimed.kind }, { expandedBytes, reserveBytes, cpuSeconds, work, signal });
  for await (const chunk of chunks) {
    let tookMs = 0;
    await ctx.batches.run(ownerOf(ctx.team), async (giveWay) => {
      const begunAt = performance.now();
      await storeParsedChunk({ ...ctx, giveWay }, claimed, chunk);
      tookMs = performance.now() - begunAt;
    });
    work.leftMs -= tookMs;
    // The import pauses as long as it worked. So interactive requests get at least half of the time of the process and
    // of the database.
    await rest(tookMs);
  }
}

/** Returns the failure code of an error; null if another try may succeed. */
function failureOfError(error: unknown): FailureCode | null {
  if (!(error instanceof ImportFailure || error instanceof AppError)) return null;
  return isFailureCode(error.code) ? error.code : null;
}
