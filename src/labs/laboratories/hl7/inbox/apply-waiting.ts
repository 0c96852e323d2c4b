import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx } from '../../../../context.ts';
import { defineJob } from '../../../../db/define-job.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { tryMessage } from './try-message.ts';

/**
 * The process that receives a message applies it at once. If the message is not applied after this time, that process
 * has probably failed.
 */
const OVERDUE_SECONDS = 30;
const BATCH = 200;

/**
 * The job that applies stored messages that were not applied at once: the process was killed, the database was too
 * busy, or the user was scheduled for deletion and somebody undid the deletion.
 */
export const inboxOfLaboratories = defineJob({
  name: 'hl7_inbox',
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: (ctx) => applyWaiting(ctx, OVERDUE_SECONDS),
});

async function applyWaiting(ctx: Ctx, overdueSeconds: number): Promise<void> {
  const { db } = acrossTeams(ctx);
  const { rows } = await sql<{ id: string }>`
    select id from hl7_messages
     where state = 'received' and received_at < now() - make_interval(secs => ${overdueSeconds})
     order by tries, received_at limit ${BATCH}`.execute(db);
  const { rows: ofThoseWhoStay } = await sql<{ id: string }>`
    select m.id from hl7_messages m join users on users.id = m.user_id and users.deleted_at is null
     where m.state = 'failed' and m.reason = 'user_scheduled_for_deletion'
     order by m.received_at limit ${BATCH}`.execute(db);
  for (const { id } of [...rows, ...ofThoseWhoStay]) {
    try {
      await tryMessage(ctx, id);
    } catch (err) {
      ctx.log.error({ err, message_id: id }, 'a message of a laboratory could not be applied');
    }
  }
}
