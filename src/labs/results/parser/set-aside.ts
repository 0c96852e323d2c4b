import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { lockName } from '../../../db/session/named-lock.ts';
import { AppError } from '../../../errors.ts';
import type { ReportFileKind } from './file-kind.ts';

export const MOST_FILE_BYTES = 20 * 1024 * 1024;
/** Jobs of a team that wait to be read, and files that are on their way. */
const MOST_WAITING = 100;
const MOST_ARRIVING = 20;

/**
 * Sets the bytes that a file may have aside for it in the team's quota; what it has in the end is told when it is stored.
 * Throws limit_reached.
 */
export function setAside(
  ctx: TeamCtx,
  { id, job_id, n, kind }: { id: string; job_id: string; n: number; kind: ReportFileKind },
): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const { db, team, config } = tx;
    // Two uploads of an organisation that look at once would each find room for itself.
    await lockName(db, 'lab reports', team.org_id);
    const { rows } = await sql<{ bytes: number; arriving: number; waiting: number }>`
      select (select coalesce(sum(bytes), 0)::float8 from lab_report_files where team_id = ${team.id}) as bytes,
             (select count(*)::float8 from lab_report_files where team_id = ${team.id} and not is_stored) as arriving,
             (select count(*)::float8 from lab_report_jobs where team_id = ${team.id} and status in ('queued', 'running'))
               as waiting`.execute(db);
    const { bytes, arriving, waiting } = rows[0] as { bytes: number; arriving: number; waiting: number };
    if (arriving >= MOST_ARRIVING || waiting >= MOST_WAITING) {
      throw new AppError(
        'limit_reached',
        `A team can have at most ${MOST_WAITING} lab reports waiting to be read and ${MOST_ARRIVING} files on their way. ` +
          'Send this one when some are done.',
        { fields: { limit: waiting >= MOST_WAITING ? MOST_WAITING : MOST_ARRIVING } },
      );
    }
    if (bytes + MOST_FILE_BYTES > config.labReportBytes) {
      throw new AppError(
        'limit_reached',
        `The lab reports of this team take up their ${config.labReportBytes} bytes. Whoever runs the service can give it more.`,
        { fields: { limit: config.labReportBytes } },
      );
    }
    if ((await bytesOfOrg(tx)) + MOST_FILE_BYTES > config.orgBytes.labReports) {
      throw new AppError(
        'limit_reached',
        `The lab reports of this organisation take up their ${config.orgBytes.labReports} bytes. ` +
          'Whoever runs the service can give it more.',
        { fields: { limit: config.orgBytes.labReports } },
      );
    }
    await sql`
      insert into lab_report_files (id, team_id, job_id, n, kind, bytes)
      values (${id}, ${team.id}, ${job_id}, ${n}, ${kind}, ${MOST_FILE_BYTES})`.execute(db);
  });
}

async function bytesOfOrg(ctx: TxCtx<TeamCtx>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::float8 as bytes from lab_report_files
     where team_id in (select teams.id from teams where org_id = ${ctx.team.org_id})`.execute(acrossTeams(ctx).db);
  return rows[0]?.bytes ?? 0;
}
