import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { lockName } from '../../../db/session/named-lock.ts';
import { AppError } from '../../../errors.ts';
import type { ReportFileKind } from './file-kind.ts';

export const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** The maximum number of jobs of a team that wait, and of files that are arriving. */
const MAX_WAITING = 100;
const MAX_ARRIVING = 20;

/**
 * Reserves space for a file in the quotas of the team and of the organisation. The reservation has the maximum size of
 * a file. When the file is stored, its real size replaces the reservation. Throws limit_reached.
 */
export function reserveQuota(
  ctx: TeamCtx,
  { id, job_id, n, kind }: { id: string; job_id: string; n: number; kind: ReportFileKind },
): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const { db, team, config } = tx;
    // Without this lock, two uploads of an organisation at the same time could both use the last free space.
    await lockName(db, 'lab reports', team.org_id);
    const { rows } = await sql<{ bytes: number; arriving: number; waiting: number }>`
      select (select coalesce(sum(bytes), 0)::float8 from lab_report_files where team_id = ${team.id}) as bytes,
             (select count(*)::float8 from lab_report_files where team_id = ${team.id} and not is_stored) as arriving,
             (select count(*)::float8 from lab_report_jobs
                where team_id = ${team.id} and status in ('queued', 'running'))
               as waiting`.execute(db);
    const { bytes, arriving, waiting } = rows[0] as { bytes: number; arriving: number; waiting: number };
    if (arriving >= MAX_ARRIVING || waiting >= MAX_WAITING) {
      throw new AppError(
        'limit_reached',
        `A team can have at most ${MAX_WAITING} lab reports waiting and ${MAX_ARRIVING} files arriving. ` +
          'Send this one when some are done.',
        { fields: { limit: waiting >= MAX_WAITING ? MAX_WAITING : MAX_ARRIVING } },
      );
    }
    if (bytes + MAX_FILE_BYTES > config.labReportBytes) {
      throw new AppError(
        'limit_reached',
        `The lab reports of this team use all of its ${config.labReportBytes} bytes. ` +
          'The operator of the service can raise the limit.',
        { fields: { limit: config.labReportBytes } },
      );
    }
    if ((await bytesOfOrg(tx)) + MAX_FILE_BYTES > config.orgBytes.labReports) {
      throw new AppError(
        'limit_reached',
        `The lab reports of this organisation use all of its ${config.orgBytes.labReports} bytes. ` +
          'The operator of the service can raise the limit.',
        { fields: { limit: config.orgBytes.labReports } },
      );
    }
    await sql`
      insert into lab_report_files (id, team_id, job_id, n, kind, bytes)
      values (${id}, ${team.id}, ${job_id}, ${n}, ${kind}, ${MAX_FILE_BYTES})`.execute(db);
  });
}

async function bytesOfOrg(ctx: TxCtx<TeamCtx>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::float8 as bytes from lab_report_files
     where team_id in (select teams.id from teams where org_id = ${ctx.team.org_id})`.execute(acrossTeams(ctx).db);
  return rows[0]?.bytes ?? 0;
}
