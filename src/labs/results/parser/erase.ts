import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { exportedRows, openRow, type ExportedRow, type Exports } from '../../../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [
    { type: 'lab_report_file', table: 'lab_report_files', key: ['id'] },
    { type: 'lab_report_piece', tables: ['lab_report_chunks'], lines: readChunks },
  ],
  ofUser: [{ type: 'lab_report_job', table: 'lab_report_jobs', key: ['id'] }],
};

/** Returns the chunks of all files, file by file. Only one chunk is in memory at a time. */
async function* readChunks(ctx: TeamCtx): AsyncIterable<ExportedRow> {
  const files = exportedRows(ctx, { type: 'lab_report_file', table: 'lab_report_files', key: ['id'] }, null);
  for await (const file of files) {
    for (let after = -1; ;) {
      const { rows } = await sql<{ n: number }>`
        select * from lab_report_chunks
         where file_id = ${file['id']} and team_id = ${ctx.team.id} and n > ${after} order by n limit 1`.execute(
        ctx.db,
      );
      const [chunk] = rows;
      if (!chunk) break;
      yield openRow(ctx, 'lab_report_chunks', chunk);
      after = chunk.n;
    }
  }
}

/**
 * Deletes the parsing jobs of a user, and the files of these jobs, because no foreign key deletes the files. A process
 * that reads such a file at this time cannot store its outcome.
 */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  const erased = await db
    .deleteFrom('lab_report_jobs')
    .where('user_id', '=', user.id)
    .where('team_id', '=', team.id)
    .returning('id')
    .execute();
  const ids = erased.map(({ id }) => id);
  await sql`delete from lab_report_files where job_id = any(${ids}::uuid[]) and team_id = ${team.id}`.execute(db);
}

/** Deletes files that were still arriving when somebody deleted the team. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('lab_report_files').where('team_id', '=', team.id).execute();
}

/** An upload never takes this long. */
const ARRIVES_WITHIN_HOURS = 3;

/** Deletes the files of uploads that stopped because a process was killed. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`
    delete from ${sql.table('lab_report_files')}
     where not is_stored and created_at < now() - make_interval(hours => ${ARRIVES_WITHIN_HOURS})`.execute(db);
}
