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

/**
 * Days for which we store applied and discarded messages, so that the operator can inspect them. A message that waits
 * for repair stays until it is repaired or discarded.
 */
const RETENTION_DAYS = 90;

/**
 * Deletes the messages from laboratories that belong to the user. Foreign keys delete the messages to laboratories and
 * the issued numbers together with the user and the user's orders.
 */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('hl7_messages').where('user_id', '=', user.id).where('team_id', '=', team.id).execute();
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('hl7_messages').where('team_id', '=', team.id).execute();
}

export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`
    delete from hl7_messages
     where state in ('applied', 'discarded') and decided_at < now() - make_interval(days => ${RETENTION_DAYS})`.execute(
    db,
  );
}
