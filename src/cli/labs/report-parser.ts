import { recordAudit } from '../../audit/record-audit.ts';
import { findJob } from '../../labs/results/parser/find-job.ts';
import { findJobScope, listToReview, reviewJob } from '../../labs/results/parser/review.ts';
import { OPERATOR, withChange } from '../with-change.ts';
import { withCtx } from '../with-ctx.ts';

export function listReportsCommand({ team }: { team: string | undefined }): Promise<number> {
  return withCtx('report-parser list', async (ctx) => {
    for (const job of await listToReview(ctx, team ?? null)) console.log(JSON.stringify(job));
    return 0;
  });
}

/** Prints a lab report. The output is personal data, so each run first writes an audit line. */
export function showReportCommand({ job }: { job: string }): Promise<number> {
  return withCtx('report-parser show', async (ctx) => {
    const scoped = await findJobScope(ctx, job);
    const { org_id, id: team_id } = scoped.team;
    await recordAudit(scoped, { org_id, team_id, actor: OPERATOR, action: 'report-parser show', records: [job] });
    console.log(JSON.stringify(await findJob(scoped, job), null, 2));
    return 0;
  });
}

export function reviewReportCommand({ job }: { job: string }): Promise<number> {
  return withChange('report-parser review', async (ctx) => {
    const scoped = await findJobScope(ctx, job);
    await reviewJob(scoped, job);
    const { org_id, id: team_id } = scoped.team;
    return {
      org_id,
      team_id,
      records: [job],
      printResult: () => console.log('The report is reviewed, and its team is notified.'),
    };
  });
}
