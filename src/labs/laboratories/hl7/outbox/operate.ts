// What the operator does with messages to laboratories: send one again, hold and release.
import { sql } from 'kysely';
import type { Ctx } from '../../../../context.ts';
import { addJob } from '../../../../db/define-job.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { outboxKind } from '../../../orders/send-out.ts';
import { isOpen, type LowLevelStatus } from '../../../orders/status/table.ts';

/** It cannot be done, and the sentence says why. */
export class NotDone extends Error {}

type Found = { lab_id: number; user_id: string; action: string; status: LowLevelStatus; is_leaving: boolean };

/**
 * Tells a laboratory of an order again that it has refused, built anew from what is so now, under a control id of its own: a
 * laboratory that remembers control ids would take the old one for the message that it knows. Throws NotDone where nothing was
 * refused, and where the order is no longer wanted.
 */
export function resendOrder(ctx: Ctx, outboxId: string): Promise<void> {
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows } = await sql<Found>`
      select o.lab_id, o.user_id, o.action, orders.last_low_level_status as status, users.deleted_at is not null as is_leaving
        from laboratory_outbox o join orders on orders.user_id = o.user_id and orders.id = o.order_id
        join users on users.id = o.user_id
       where o.id = ${outboxId} and o.state = 'refused' for update of o, orders`.execute(db);
    const [row] = rows;
    if (!row) throw new NotDone(`Nothing that a laboratory refused has the id ${outboxId}.`);
    if (row.is_leaving) throw new NotDone('The user of this order is scheduled for deletion: nothing is sent of it.');
    if (row.action === 'new' && !isOpen(row.status))
      throw new NotDone(`This order is no longer wanted: its status is ${row.status}.`);
    await sql`
      update laboratory_outbox set state = 'waiting', attempts = 0, unanswered = 0, due_at = now(), queued_at = now(),
             answered_at = null, last_error = null where user_id = ${row.user_id} and id = ${outboxId}`.execute(db);
    await sql`delete from hl7_outgoing where user_id = ${row.user_id} and id = ${outboxId}`.execute(db);
    await addJob(db, outboxKind, { lab_id: row.lab_id });
  });
}

/** Keeps one message from being sent. Throws NotDone where it does not wait. */
export async function holdOrder(ctx: Ctx, outboxId: string): Promise<void> {
  const { rows } = await sql`
    update laboratory_outbox set state = 'held' where id = ${outboxId} and state = 'waiting' returning id`.execute(
    acrossTeams(ctx).db,
  );
  if (rows.length === 0) throw new NotDone(`Nothing that waits for a laboratory has the id ${outboxId}.`);
}

/** The other way round: it takes its old place. */
export function releaseOrder(ctx: Ctx, outboxId: string): Promise<void> {
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows } = await sql<{ lab_id: number }>`
      update laboratory_outbox set state = 'waiting', due_at = now() where id = ${outboxId} and state = 'held'
      returning lab_id`.execute(db);
    if (!rows[0]) throw new NotDone(`Nothing that is held has the id ${outboxId}.`);
    await addJob(db, outboxKind, rows[0]);
  });
}

/** Keeps everything from being sent to a laboratory, also what comes later. */
export async function holdLaboratory(ctx: Ctx, slug: string): Promise<void> {
  const { rows } = await sql`
    insert into laboratory_senders as sender (lab_id, held_at)
    select c.lab_id, now() from laboratory_connections c join labs on labs.id = c.lab_id where labs.slug = ${slug}
        on conflict (lab_id) do update set held_at = coalesce(sender.held_at, now())
    returning lab_id`.execute(ctx.db);
  if (rows.length === 0) throw notConnected(slug);
}

/** The other way round: what waits goes out at once. */
export function releaseLaboratory(ctx: Ctx, slug: string): Promise<void> {
  return inTransaction(ctx, async ({ db }) => {
    const { rows } = await sql<{ lab_id: number }>`
      select c.lab_id from laboratory_connections c join labs on labs.id = c.lab_id where labs.slug = ${slug}`.execute(
      db,
    );
    if (!rows[0]) throw notConnected(slug);
    await sql`update laboratory_senders set held_at = null where lab_id = ${rows[0].lab_id}`.execute(db);
    await addJob(db, outboxKind, rows[0]);
  });
}

const notConnected = (slug: string): NotDone => new NotDone(`No laboratory ${slug} is connected.`);
