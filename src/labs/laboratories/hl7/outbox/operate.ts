// What the operator does with messages to laboratories: send one again, give one up, hold and release.
import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../../../context.ts';
import { addJob } from '../../../../db/define-job.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../../../tenancy/teams/scope.ts';
import { lockOrder } from '../../../orders/load.ts';
import { outboxKind } from '../../../orders/send-out.ts';
import { isOpen, type LowLevelStatus } from '../../../orders/status/table.ts';
import { callOffOrder, callOffTests, leavesNone } from '../../call-off.ts';
import { findConnectionOrNull } from '../connections/find-connection.ts';

/** It cannot be done, and the sentence says why. */
export class NotDone extends Error {}

type Found = {
  team_id: string;
  lab_id: number;
  user_id: string;
  order_id: string;
  action: 'new' | 'cancel';
  state: string;
  tests: number[] | null;
  status: LowLevelStatus;
  is_leaving: boolean;
};

/** The message under its lock, and that of its order. Throws NotDone. */
async function lockMessage({ db }: TxCtx, outboxId: string): Promise<Found> {
  const { rows } = await sql<Found>`
    select o.team_id, o.lab_id, o.user_id, o.order_id, o.action, o.state, o.tests, orders.last_low_level_status as status,
           users.deleted_at is not null as is_leaving
      from laboratory_outbox o join orders on orders.user_id = o.user_id and orders.id = o.order_id
      join users on users.id = o.user_id
     where o.id = ${outboxId} for update of o, orders`.execute(db);
  if (!rows[0]) throw new NotDone(`Nothing that goes to a laboratory has the id ${outboxId}.`);
  return rows[0];
}

/**
 * Tells a laboratory of an order again that it has refused, built anew from what is so now, under a control id of its own: a
 * laboratory that remembers control ids would take the old one for the message that it knows. Throws NotDone where nothing was
 * refused, and where the order is no longer wanted.
 */
export function resendOrder(ctx: Ctx, outboxId: string): Promise<void> {
  return inTransaction(acrossTeams(ctx), async (tx) => {
    const row = await lockMessage(tx, outboxId);
    if (row.is_leaving) throw new NotDone('The user of this order is scheduled for deletion: nothing is sent of it.');
    if (row.action === 'new' && !isOpen(row.status))
      throw new NotDone(`This order is no longer wanted: its status is ${row.status}.`);
    if (row.state !== 'refused') throw notRefused(row);
    await sql`
      update laboratory_outbox set state = 'waiting', attempts = 0, unanswered = 0, due_at = now(), queued_at = now(),
             answered_at = null, last_error = null where user_id = ${row.user_id} and id = ${outboxId}`.execute(tx.db);
    await sql`delete from hl7_outgoing where user_id = ${row.user_id} and id = ${outboxId}`.execute(tx.db);
    await addJob(tx.db, outboxKind, { lab_id: row.lab_id });
  });
}

/**
 * Ends what a laboratory has refused, or has kept and never said more of: the tests of the message fail, and the order goes on
 * with the others, or ends. Of a cancellation nothing changes but that nobody need see to it. Throws NotDone.
 */
export function giveUpOrder(ctx: Ctx, outboxId: string): Promise<void> {
  return inTransaction(acrossTeams(ctx), async (tx) => {
    const row = await lockMessage(tx, outboxId);
    if (row.is_leaving) throw new NotDone('The user of this order is scheduled for deletion: it goes with that user.');
    if (row.state !== 'refused' && row.state !== 'committed') throw notRefused(row);
    // Of what was kept and never answered the laboratory may know: a cancellation is for it.
    await sql`
      update laboratory_outbox set state = 'given_up', answered_at = case when state = 'refused' then answered_at end
       where user_id = ${row.user_id} and id = ${outboxId}`.execute(tx.db);
    if (row.action === 'new' && isOpen(row.status)) await callOff(tx, row);
  });
}

async function callOff(tx: TxCtx, { team_id, lab_id, order_id, tests }: Found): Promise<void> {
  const [team, connection] = [await findTeamScopeOrNull(tx, team_id), await findConnectionOrNull(tx, lab_id)];
  if (!team || !connection) throw new NotDone('The team of this order is gone, or its laboratory is not connected.');
  const ctx = forTeam(tx, team);
  const order = await lockOrder(ctx, order_id);
  const isWhole = tests === null || (await leavesNone(ctx, order, tests));
  const by = { laboratory: connection, at: new Date() };
  const outcome = await (isWhole ? callOffOrder(ctx, order) : callOffTests(ctx, order, tests, by));
  if (outcome === 'under_way')
    throw new NotDone(
      `This order cannot end as it is, ${order.row.last_low_level_status}: a test has its result already.`,
    );
}

const notRefused = ({ state }: Found): NotDone => new NotDone(`Nothing has refused this message: it is ${state}.`);

/** Who keeps a message from being sent. */
export type Holder = 'operator' | 'organisation';

/** Keeps one message from being sent. Throws NotDone where it does not wait. */
export async function holdOrder(ctx: Ctx, outboxId: string, by: Holder): Promise<void> {
  const { rows } = await sql`
    update laboratory_outbox set state = 'held', held_by = ${by}
     where id = ${outboxId} and state = 'waiting' returning id`.execute(acrossTeams(ctx).db);
  if (rows.length === 0) throw new NotDone(`Nothing that waits for a laboratory has the id ${outboxId}.`);
}

/** The other way round: it takes its old place. What the operator holds nobody else releases. */
export function releaseOrder(ctx: Ctx, outboxId: string, by: Holder): Promise<void> {
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows } = await sql<{ lab_id: number; held_by: Holder }>`
      select lab_id, held_by from laboratory_outbox where id = ${outboxId} and state = 'held' for update`.execute(db);
    const [row] = rows;
    if (!row) throw new NotDone(`Nothing that is held has the id ${outboxId}.`);
    if (row.held_by === 'operator' && by !== 'operator')
      throw new NotDone('Whoever runs the service holds this message, and releases it.');
    await sql`
      update laboratory_outbox set state = 'waiting', held_by = null, due_at = now() where id = ${outboxId}`.execute(
      db,
    );
    await addJob(db, outboxKind, { lab_id: row.lab_id });
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
