import { Type } from 'typebox';
import type { Ctx, TeamCtx } from '../../../context.ts';
import { defineJob } from '../../../db/define-job.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/scope.ts';
import { claimNext, giveBack, MOST_ATTEMPTS, type Claimed } from './claim.ts';
import { filesOf } from './find-job.ts';
import { finishJob, type Outcome } from './finish-job.ts';
import { matchReport } from './match/match-report.ts';
import { parseKind } from './parse-kind.ts';
import { parsePdf, ReportFailure } from './parser-process.ts';
import type { ReadReport } from './parse/record.ts';
import { openFile } from './store-file.ts';

/** Of one process: other background work needs places too. */
const MOST_AT_ONCE = 1;
const underWay = new WeakMap<Ctx['config'], number>();
const NEVER = new AbortController().signal;

/** Each minute too, for what a process left behind when it was killed. */
export const labReportParsing = defineJob({
  ...parseKind,
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: (ctx) => runParsing(ctx),
});

/** Reads what waits, one report after the other, until nothing does or the process stops. */
export async function runParsing(ctx: Ctx): Promise<void> {
  const others = underWay.get(ctx.config) ?? 0;
  if (others >= MOST_AT_ONCE) return;
  underWay.set(ctx.config, others + 1);
  try {
    while (!ctx.stopping?.aborted) {
      const claimed = await claimNext(ctx);
      if (!claimed) return;
      await parseJob(ctx, claimed);
    }
  } finally {
    underWay.set(ctx.config, (underWay.get(ctx.config) ?? 1) - 1);
  }
}

/** What the database does not let through is thrown: the job then comes again when its lease has run out. */
async function parseJob(ctx: Ctx, claimed: Claimed): Promise<void> {
  const team = await findTeamScopeOrNull(ctx, claimed.team_id);
  if (!team) return; // and with it everything of its users
  const scoped = forTeam(ctx, team);
  if (claimed.attempts > MOST_ATTEMPTS) return finishJob(scoped, claimed, { failure: 'processing_error' });
  const outcome = await outcomeOf(scoped, claimed);
  if (ctx.stopping?.aborted) return giveBack(scoped, claimed);
  await finishJob(scoped, claimed, outcome);
}

async function outcomeOf(ctx: TeamCtx, { id, user_id }: Claimed): Promise<Outcome> {
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
