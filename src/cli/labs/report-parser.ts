import { recordAudit } from '../../audit/record-audit.ts';
import { findReview } from '../../labs/results/parser/find-review.ts';
import { findJobScope, listToReview, reviewJob } from '../../labs/results/parser/review.ts';
import { printDone, printJson, printRecords } from '../print.ts';
import { OPERATOR, withChange } from '../with-change.ts';
import { withCtx } from '../with-ctx.ts';

export function listReportsCommand({ team, json }: { team: string | undefined; json: boolean }): Promise<number> {
  return withCtx('report-parser list', async (ctx) => {
    printRecords(json, 'jobs', await listToReview(ctx, team ?? null));
    return 0;
  });
}

/** Prints a lab report. The output is personal data, so each run first writes an audit line. */
export function showReportCommand({ job }: { job: string }): Promise<number> {
  return withCtx('report-parser show', async (ctx) => {
    const scoped = await findJobScope(ctx, job);
    const { org_id, id: team_id } = scoped.team;
    await recordAudit(scoped, { org_id, team_id, actor: OPERATOR, action: 'report-parser show', records: [job] });
    printJson(await findReview(scoped, job));
    return 0;
  });
}

type Reviewed = { job: string; 'confirm-patient': boolean; json: boolean };

export function reviewReportCommand({ job, 'confirm-patient': confirm_patient, json }: Reviewed): Promise<number> {
  return withChange('report-parser review', async (ctx) => {
    const scoped = await findJobScope(ctx, job);
    await reviewJob(scoped, job, { confirm_patient });
    const { org_id, id: team_id } = scoped.team;
    return {
      org_id,
      team_id,
      records: [job],
      printResult: () =>
        printDone(json, 'The report is reviewed, and its team is notified.', { job_id: job, is_reviewed: true }),
    };
  });
}
