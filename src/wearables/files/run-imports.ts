import { access } from 'node:fs/promises';
import { setTimeout as rest } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Ctx, TeamCtx } from '../../context.ts';
import { defineJob } from '../../db/define-job.ts';
import { AppError } from '../../errors.ts';
import { findTeamScopeOrNull, forTeam } from '../../tenancy/teams/scope.ts';
import { claimNext, endImport, giveBack, LeaseLost, type Claimed } from './claim.ts';
import { ImportFailure, isFailureCode, type FailureCode } from './failures.ts';
import { importsKind } from './imports-kind.ts';
import { parseFile } from './parser-process.ts';
import { storePiece } from './store-piece.ts';
import { removeUpload, uploadPath } from './upload-folder.ts';

/** Of one process: a file takes minutes, and other background work needs places too. */
const MOST_AT_ONCE = 2;
const underWay = new WeakMap<Ctx['config'], number>();

const NEVER = new AbortController().signal;

/** Each minute too, for what a process left behind when it was killed. */
export const fileImports = defineJob({
  ...importsKind,
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: (ctx) => runImports(ctx),
});

/** Imports what waits, one file after the other, until nothing does or the process stops. */
export async function runImports(ctx: Ctx): Promise<void> {
  const others = underWay.get(ctx.config) ?? 0;
  if (others >= MOST_AT_ONCE) return;
  underWay.set(ctx.config, others + 1);
  try {
    while (!ctx.stopping?.aborted) {
      const claimed = await claimNext(ctx);
      if (!claimed) return;
      await importFile(ctx, claimed);
    }
  } finally {
    underWay.set(ctx.config, (underWay.get(ctx.config) ?? 1) - 1);
  }
}

/** What the database does not let through is thrown: the import then comes again when its lease has run out. */
async function importFile(ctx: Ctx, claimed: Claimed): Promise<void> {
  const team = await findTeamScopeOrNull(ctx, claimed.team_id);
  if (!team) return; // and with it everything of its users
  const scoped = forTeam(ctx, team);
  try {
    await storeAll(scoped, claimed);
    if (ctx.stopping?.aborted) return await giveBack(scoped, claimed);
    await endImport(scoped, claimed, null);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const code = failureOfError(error);
    if (code === null) throw error;
    await endImport(scoped, claimed, code);
  }
  await removeUpload(ctx.config, claimed.id);
}

async function storeAll(ctx: TeamCtx, claimed: Claimed): Promise<void> {
  const { config, stopping: signal = NEVER } = ctx;
  const path = uploadPath(config, claimed.id);
  await access(path).catch(() => {
    throw new ImportFailure('file_gone');
  });
  const { expandedBytes, importMs } = config.uploads;
  const pieces = parseFile({ path, kind: claimed.kind }, { expandedBytes, endsAt: Date.now() + importMs, signal });
  for await (const piece of pieces) {
    let tookMs = 0;
    await ctx.bulk.run(ctx.team.id, async (giveWay) => {
      const begunAt = performance.now();
      await storePiece({ ...ctx, giveWay }, claimed, piece);
      tookMs = performance.now() - begunAt;
    });
    // The team's own requests have as much of the process and of the database as its import, and so have other processes'.
    await rest(tookMs);
  }
}

/** Null of what may go better another time. */
function failureOfError(error: unknown): FailureCode | null {
  if (!(error instanceof ImportFailure || error instanceof AppError)) return null;
  return isFailureCode(error.code) ? error.code : null;
}
