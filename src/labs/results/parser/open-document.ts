import { Readable } from 'node:stream';
import type { SignedCtx } from '../../../context.ts';
import type { Attachment } from '../../../operation/media.ts';
import { linkRefused } from '../../../privacy/signed-link.ts';
import { CONTENT_TYPES, type ReportFileKind } from './file-kind.ts';
import { openFile } from './store-file.ts';

/**
 * Opens a file of a job, as the customer sent it, for a link that we signed. Throws link_refused if the file does not
 * exist or if its user is scheduled for deletion.
 */
export async function openDocument(ctx: SignedCtx): Promise<Attachment> {
  const file = await ctx.db
    .selectFrom('lab_report_files')
    .innerJoin('lab_report_jobs', (join) =>
      join
        .onRef('lab_report_jobs.id', '=', 'lab_report_files.job_id')
        .onRef('lab_report_jobs.team_id', '=', 'lab_report_files.team_id'),
    )
    .innerJoin('users', 'users.id', 'lab_report_jobs.user_id')
    .select(['lab_report_files.id', 'lab_report_files.kind', 'lab_report_files.bytes'])
    .where('lab_report_files.id', '=', ctx.signedId)
    .where('lab_report_files.team_id', '=', ctx.team.id)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!file) {
    throw linkRefused();
  }
  const kind = file.kind as ReportFileKind;
  return {
    content_type: CONTENT_TYPES[kind],
    name: `lab-report.${kind}`,
    content: Readable.from(openFile(ctx, file.id, Number(file.bytes))),
  };
}
