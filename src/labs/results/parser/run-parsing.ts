import { Type } from 'typebox';
import type { Ctx, TeamCtx } from '../../../context.ts';
import { defineJob } from '../../../db/define-job.ts';
import { returnJob, workQueue } from '../../../files/file-queue.ts';
import { LAB_REPORTS, type ClaimedReport } from './lab-report-queue.ts';
import { filesOf } from './find-job.ts';
import { finishJob, type Outcome } from './finish-job.ts';
import { matchReport } from './match/match-report.ts';
import { parseKind } from './parse-kind.ts';
import { parsePdf, ReportFailure } from './parser-process.ts';
import type { ReadReport } from './parse/read-report.ts';
import { openFile } from './store-file.ts';

const NEVER = new AbortController().signal;

/**
 * The background job that reads waiting lab reports. It also runs every minute, because a killed process leaves its
 * report half-read. The next run reads that report again.
 */
export const labReportParsing = defineJob({
  ...parseKind,
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: (ctx) => runParsing(ctx),
});

/** Reads the waiting reports. It ends when no report waits or when the process is to stop. */
export const runParsing = (ctx: Ctx): Promise<void> =>
  workQueue<ClaimedReport>(ctx, {
    ...LAB_REPORTS,
    work: parseJob,
    giveUp: (scoped, each) => finishJob(scoped, each, { failure: 'processing_error' }),
  });

async function parseJob(ctx: TeamCtx, claimed: ClaimedReport): Promise<void> {
  const outcome = await outcomeOf(ctx, claimed);
  if (ctx.stopping?.aborted) return returnJob(ctx, LAB_REPORTS, claimed);
  await finishJob(ctx, claimed, outcome);
}

async function outcomeOf(ctx: TeamCtx, { id, user_id }: ClaimedReport): Promise<Outcome> {
  const reports: ReadReport[] = [];
  let isWhole = true;
  try {
    for (const file of await filesOf(ctx, id)) {
      if (file.kind !== 'pdf') isWhole = false;
      else reports.push(await parsePdf(openFile(ctx, file.id, file.bytes), { signal: ctx.stopping ?? NEVER }));
    }
  } catch (error) {
    if (error instanceof ReportFailure) return { failure: error.reason };
    throw error;
  }
  return matchReport(ctx, user_id, reports, isWhole);
}
