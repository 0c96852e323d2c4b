// The actions that a person can take on messages to laboratories: send a refused message again, give a message up, hold
// a message back, and release it.
import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../../../context.ts';
import { addJob } from '../../../../db/define-job.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../../../tenancy/teams/team-scope.ts';
import { lockOrder } from '../../../orders/load-order.ts';
import { outboxKind } from '../../../orders/send-out.ts';
import { isOpen, type LowLevelStatus } from '../../../orders/status/statuses.ts';
import { callOffOrder, callOffTests, cancelsEveryTest } from '../../call-off.ts';
import { findConnectionOrNull } from '../connections/find-connection.ts';

/** Thrown if the action is not possible. The message of the error gives the reason. */
export class NotDone extends Error {}

type LockedMessage = {
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

/** Locks a message and its order. Throws NotDone. */
async function lockMessage({ db }: TxCtx, outboxId: string): Promise<LockedMessage> {
  const { rows } = await sql<LockedMessage>`
    select o.team_id, o.lab_id, o.user_id, o.order_id, o.action, o.state, o.tests,
           orders.last_low_level_status as status, users.deleted_at is not null as is_leaving
      from laboratory_outbox o join orders on orders.user_id = o.user_id and orders.id = o.order_id
      join users on users.id = o.user_id
     where o.id = ${outboxId} for update of o, orders`.execute(db);
  if (!rows[0]) throw new NotDone(`No message to a laboratory has the id ${outboxId}.`);
  return rows[0];
}

/**
 * Sends an order again that the laboratory refused. We build a new message from the current data. It gets a new control
 * id, because a laboratory may take a message with a known control id for a repetition and ignore it. Throws NotDone if
 * the laboratory refused nothing, or if the order has ended.
 */
export function resendOrder(ctx: Ctx, outboxId: string): Promise<void> {
  return inTransaction(acrossTeams(ctx), async (tx) => {
    const row = await lockMessage(tx, outboxId);
    if (row.is_leaving)
      throw new NotDone('The user of this order is scheduled for deletion, so nothing about it is sent.');
    if (row.action === 'new' && !isOpen(row.status))
      throw new NotDone(`This order has ended: its status is ${row.status}.`);
    if (row.state !== 'refused') throw notRefused(row);
    await sql`
      update laboratory_outbox set state = 'waiting', attempts = 0, unanswered = 0, due_at = now(), queued_at = now(),
             answered_at = null, last_error = null where user_id = ${row.user_id} and id = ${outboxId}`.execute(tx.db);
    await sql`delete from hl7_outgoing where user_id = ${row.user_id} and id = ${outboxId}`.execute(tx.db);
    await addJob(tx.db, outboxKind, { lab_id: row.lab_id });
  });
}

/**
 * Gives up a message that the laboratory refused, or that it stored but never answered. The tests of the message fail.
 * The order continues with its other tests, or ends if it has none. If the message is a cancellation, the function only
 * closes the message. Throws NotDone.
 */
export function giveUpOrder(ctx: Ctx, outboxId: string): Promise<void> {
  return inTransaction(acrossTeams(ctx), async (tx) => {
    const row = await lockMessage(tx, outboxId);
    if (row.is_leaving)
      throw new NotDone('The user of this order is scheduled for deletion. The order is erased with that user.');
    if (row.state !== 'refused' && row.state !== 'committed') throw notRefused(row);
    // If the laboratory stored the message but never answered, it may still perform the tests. So it must get a
    // cancellation.
    await sql`
      update laboratory_outbox set state = 'given_up', answered_at = case when state = 'refused' then answered_at end
       where user_id = ${row.user_id} and id = ${outboxId}`.execute(tx.db);
    if (row.action === 'new' && isOpen(row.status)) await callOff(tx, row);
  });
}

async function callOff(tx: TxCtx, { team_id, lab_id, order_id, tests }: LockedMessage): Promise<void> {
  const [team, connection] = [await findTeamScopeOrNull(tx, team_id), await findConnectionOrNull(tx, lab_id)];
  if (!team || !connection)
    throw new NotDone('The team of this order was deleted, or its laboratory is not connected.');
  const ctx = forTeam(tx, team);
  const order = await lockOrder(ctx, order_id);
  const isWhole = tests === null || (await cancelsEveryTest(ctx, order, tests));
  const by = { laboratory: connection, at: new Date() };
  const outcome = await (isWhole ? callOffOrder(ctx, order) : callOffTests(ctx, order, tests, by));
  if (outcome === 'under_way')
    throw new NotDone(
      `This order cannot end in its status ${order.row.last_low_level_status}: a test has its result already.`,
    );
}

const notRefused = ({ state }: LockedMessage): NotDone =>
  new NotDone(`The laboratory has not refused this message: it is ${state}.`);

/** The party that has stopped a message from being sent. */
export type Holder = 'operator' | 'organisation';

/**
 * Stops one message from being sent until somebody releases it. Throws NotDone if the message does not wait to be sent.
 */
export async function holdOrder(ctx: Ctx, outboxId: string, by: Holder): Promise<void> {
  const { rows } = await sql`
    update laboratory_outbox set state = 'held', held_by = ${by}
     where id = ${outboxId} and state = 'waiting' returning id`.execute(acrossTeams(ctx).db);
  if (rows.length === 0) throw new NotDone(`No waiting message to a laboratory has the id ${outboxId}.`);
}

/**
 * Releases a message, which then has its old position in the queue again. If the operator has stopped the message, only
 * the operator can release it.
 */
export function releaseOrder(ctx: Ctx, outboxId: string, by: Holder): Promise<void> {
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows } = await sql<{ lab_id: number; held_by: Holder }>`
      select lab_id, held_by from laboratory_outbox where id = ${outboxId} and state = 'held' for update`.execute(db);
    const [row] = rows;
    if (!row) throw new NotDone(`No held message has the id ${outboxId}.`);
    if (row.held_by === 'operator' && by !== 'operator')
      throw new NotDone('The operator holds this message, and only the operator can release it.');
    await sql`
      update laboratory_outbox set state = 'waiting', held_by = null, due_at = now() where id = ${outboxId}`.execute(
      db,
    );
    await addJob(db, outboxKind, { lab_id: row.lab_id });
  });
}

/** Stops all messages to a laboratory, including those that are added later, until somebody releases the laboratory. */
export async function holdLaboratory(ctx: Ctx, slug: string): Promise<void> {
  const { rows } = await sql`
    insert into laboratory_senders as sender (lab_id, held_at)
    select c.lab_id, now() from laboratory_connections c join labs on labs.id = c.lab_id where labs.slug = ${slug}
        on conflict (lab_id) do update set held_at = coalesce(sender.held_at, now())
    returning lab_id`.execute(ctx.db);
  if (rows.length === 0) throw notConnected(slug);
}

/** Releases a laboratory. A job sends its waiting messages at once. */
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
