import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import type { Exports } from '../../../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofUser: [
    { type: 'order_number', table: 'order_numbers', key: ['order_id'] },
    { type: 'patient_number', table: 'patient_numbers', key: ['user_id'] },
    { type: 'laboratory_number', table: 'laboratory_numbers', key: ['order_id', 'kind', 'number'] },
    { type: 'message_to_laboratory', table: 'hl7_outgoing', key: ['id'] },
    { type: 'message_of_laboratory', table: 'hl7_messages', key: ['id'], without: ['sealed_for'] },
  ],
};

/** What was applied is kept for so long, to be looked at; what waits to be repaired stays until it is. */
const KEPT_DAYS = 90;

/** What was sent to laboratories, and the numbers given to them, hang on their orders; what they sent names its user. */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('hl7_messages').where('user_id', '=', user.id).where('team_id', '=', team.id).execute();
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('hl7_messages').where('team_id', '=', team.id).execute();
}

export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`
    delete from hl7_messages
     where state in ('applied', 'discarded') and settled_at < now() - make_interval(days => ${KEPT_DAYS})`.execute(db);
}
