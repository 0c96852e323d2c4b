import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { notFound } from '../../../errors.ts';
import { signedUrl } from '../../../privacy/signed-link.ts';
import { findUser } from '../../../users/find.ts';
import { CONTENT_TYPES, type ReportFileKind } from './file-kind.ts';
import type { ParsedLabReportData, ParsingJob, ParsingJobWithFiles } from './schemas.ts';

/** The documents of this module have the path `/documents/lab_report/{token}`. */
const DOCUMENT_KIND = 'lab_report';
const LINK_SECONDS = 15 * 60;

export const JOB_COLUMNS = [
  'user_id',
  'id',
  'team_id',
  'status',
  'failure_reason',
  'needs_human_review',
  'is_reviewed',
  'data',
] as const;

export type JobRow = {
  user_id: string;
  id: string;
  team_id: string;
  status: string;
  failure_reason: string | null;
  needs_human_review: boolean;
  is_reviewed: boolean;
  data: Buffer | null;
};
type Scope = TeamCtx | TxCtx<TeamCtx>;

/**
 * Finds a job of the caller's team, with links to its files. Throws not_found, or user_scheduled_for_deletion if the
 * user of the job is scheduled for deletion.
 */
export async function findJob(ctx: Scope, jobId: string): Promise<Static<typeof ParsingJobWithFiles>> {
  const row = await ctx.db
    .selectFrom('lab_report_jobs')
    .select(JOB_COLUMNS)
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', jobId)
    .executeTakeFirst();
  if (!row) throw notFound('Parsing job');
  await findUser(ctx, row.user_id);
  const expires = Math.floor(Date.now() / 1000) + LINK_SECONDS;
  return {
    ...renderJob(ctx, row),
    files: (await filesOf(ctx, jobId)).map(({ id, kind, bytes }) => ({
      content_type: CONTENT_TYPES[kind],
      bytes,
      url: signedUrl(ctx, DOCUMENT_KIND, { team_id: ctx.team.id, id, expires }),
    })),
  };
}

export const filesOf = (ctx: Scope, jobId: string): Promise<{ id: string; kind: ReportFileKind; bytes: number }[]> =>
  ctx.db
    .selectFrom('lab_report_files')
    .select(['id', 'kind', 'bytes'])
    .where('team_id', '=', ctx.team.id)
    .where('job_id', '=', jobId)
    .orderBy('n')
    .$castTo<{ id: string; kind: ReportFileKind; bytes: number }>()
    .execute();

/** Returns a job in the form in which events show it. */
export function renderJob({ cipher }: Scope, row: JobRow): Static<typeof ParsingJob> {
  return {
    id: row.id,
    job_id: row.id,
    status: row.status === 'completed' || row.status === 'failed' ? row.status : 'started',
    failure_reason: row.failure_reason as Static<typeof ParsingJob>['failure_reason'],
    data: row.data && cipher.openJson<Static<typeof ParsedLabReportData>>('lab_report_jobs.data', row, row.data),
    needs_human_review: row.needs_human_review,
    is_reviewed: row.is_reviewed,
  };
}
