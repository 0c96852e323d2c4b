import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { exportedRows, openRow, type ExportedRow, type Exports } from '../../../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [
    { type: 'lab_report_file', table: 'lab_report_files', key: ['id'] },
    { type: 'lab_report_piece', tables: ['lab_report_pieces'], lines: pieces },
  ],
  ofUser: [{ type: 'lab_report_job', table: 'lab_report_jobs', key: ['id'] }],
};

/** What the files hold, in their order and one piece in memory at a time. */
async function* pieces(ctx: TeamCtx): AsyncIterable<ExportedRow> {
  const files = exportedRows(ctx, { type: 'lab_report_file', table: 'lab_report_files', key: ['id'] }, null);
  for await (const file of files) {
    for (let after = -1; ;) {
      const { rows } = await sql<{ n: number }>`
        select * from lab_report_pieces
         where file_id = ${file['id']} and team_id = ${ctx.team.id} and n > ${after} order by n limit 1`.execute(
        ctx.db,
      );
      const [piece] = rows;
      if (!piece) break;
      yield openRow(ctx, 'lab_report_pieces', piece);
      after = piece.n;
    }
  }
}

/** The jobs of a user with their files, which hang on nothing else; one that is under way finds its lease gone. */
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

/** What was on its way when the team was deleted. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('lab_report_files').where('team_id', '=', team.id).execute();
}

/** Longer than an upload can last: what is older arrives no more. */
const ARRIVES_WITHIN_HOURS = 3;

/** Forgets uploads that were cut off by a kill. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`
    delete from ${sql.table('lab_report_files')}
     where not is_stored and created_at < now() - make_interval(hours => ${ARRIVES_WITHIN_HOURS})`.execute(db);
}
