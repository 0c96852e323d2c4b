import type { TeamCtx, TxCtx } from '../context.ts';
import { sql } from 'kysely';
import type { ExportedRow, Exports } from '../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [
    { type: 'payor', table: 'payors', key: ['payor_code'] },
    { type: 'payor_external_code', tables: ['payor_external_codes'], lines: externalCodes },
  ],
  ofUser: [
    { type: 'insurance', table: 'insurances', key: ['id'] },
    { type: 'insurance_document', table: 'insurance_documents', key: ['insurance_id', 'id'] },
  ],
};

async function* externalCodes({ db, team }: TeamCtx): AsyncIterable<ExportedRow> {
  for (let after = ''; ;) {
    const { rows } = await sql<{ payor_code: string }>`
      select codes.* from payor_external_codes codes join payors using (payor_code)
       where payors.team_id = ${team.id} and payor_code > ${after}
         and payor_code <= (select max(payor_code) from (
           select payor_code from payors where team_id = ${team.id} and payor_code > ${after}
            order by payor_code limit 100) as next)
       order by payor_code`.execute(db);
    yield* rows;
    const next = await db
      .selectFrom('payors')
      .select('payor_code')
      .where('team_id', '=', team.id)
      .where('payor_code', '>', after)
      .orderBy('payor_code')
      .limit(100)
      .execute();
    if (next.length < 100) return;
    after = next.at(-1)?.payor_code as string;
  }
}

export async function eraseUser({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('insurances').where('user_id', '=', user.id).execute();
}

/**
 * Deletes the payors of a team. A foreign key deletes their external codes. Insurances are deleted together with their
 * users.
 */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('payors').where('team_id', '=', team.id).execute();
}
