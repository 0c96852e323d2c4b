// Applies a laboratory's messages about orders. ORL, ORR and ACK are replies to an order that we sent. ORM, OML and OSU
// are later updates of an order.
import { sql } from 'kysely';
import { segmentOf, textAt, type Message } from '@phial/hl7/message';
import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { findTeamScopeOrNull, forTeam } from '../../../../tenancy/teams/team-scope.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../../orders/load-order.ts';
import { isOpen, type LowLevelStatus } from '../../../orders/status/statuses.ts';
import { callOffOrder, callOffTests, cancelsEveryTest } from '../../call-off.ts';
import type { Connection } from '../connections/find-connection.ts';
import { accountOf } from '../messages/account-of.ts';
import { readOrderNumber } from '../messages/order-number.ts';
import { readOrderUpdates, readReply, refusalOf, type OrderUpdate, type Reply } from '../messages/read-reply.ts';
import { ResultProblem } from '../messages/result-problem.ts';
import { patientOf } from '../messages/read-patient.ts';
import { applyReplyTo, type SentRow } from '../outbox/apply-reply.ts';
import { positionsOf } from '../outbox/split-off.ts';
import { advanceOrder } from './apply-result.ts';
import { refuseOtherPatient, refuseOtherUser } from './check-patient.ts';
import { findOrder, type MatchedOrder } from './find-order.ts';
import { storeNumbers } from '../store-numbers.ts';

const REPLIES = new Set(['ACK', 'ORL', 'ORR']);
const UPDATES = new Set(['ORM', 'OML', 'OSU']);

/** Returns whether a message is about orders that we sent. Otherwise it contains results. */
export const isAboutOrders = (header: Message[number] | undefined): boolean =>
  REPLIES.has(textAt(header, 9)) || UPDATES.has(textAt(header, 9));

type Heard = { message: Message; connection: Connection };

/**
 * Applies a message about orders. It calls `onMatched` when it has found the order. It may throw ResultProblem before
 * or after that call.
 */
export async function applyOrderUpdates(tx: TxCtx, heard: Heard, onMatched: (of: MatchedOrder) => void): Promise<void> {
  const { message, connection } = heard;
  const reply = REPLIES.has(textAt(segmentOf(message, 'MSH'), 9)) ? readReply(message) : null;
  const updates = reply?.orders ?? readOrderUpdates(message);
  const matched = await findMeant(tx, heard, { reply, updates });
  onMatched(matched);
  const team = await findTeamScopeOrNull(tx, matched.team_id);
  if (!team) throw new ResultProblem('unknown_number');
  const ctx = forTeam(tx, team);
  const order = await lockOrderIfPresent(ctx, matched.order_id);
  if (!order) throw new ResultProblem('user_scheduled_for_deletion');
  const patient = patientOf(segmentOf(message, 'PID'));
  await refuseOtherUser(tx, { user_id: matched.user_id, patient, settings: connection.settings });
  refuseOtherPatient(order, patient);
  if (reply) {
    const sent = await findSentRowOrNull(ctx, matched, reply.controlId);
    if (!sent) throw new ResultProblem('unknown_number');
    await applyReplyTo(ctx, { sent, order }, { reply, connection });
    return;
  }
  await storeNumbers(ctx, matched, {
    fillerNumbers: updates.map(({ filler }) => filler).filter((filler) => filler !== ''),
    accessionNumbers: [],
  });
  await moveOrder(ctx, { order, updates, connection });
}

/**
 * Finds the order of a message by the numbers in the message. A reply also names the control id of the message that it
 * answers, and our control ids contain the order number.
 */
function findMeant(
  tx: TxCtx,
  { message, connection }: Heard,
  { reply, updates }: { reply: ReturnType<typeof readReply>; updates: OrderUpdate[] },
): Promise<MatchedOrder> {
  const ofMessage = reply ? numberOfControlId(reply.controlId) : null;
  const named = updates.map(({ placer }) => placer).filter((placer) => placer !== '');
  const ours = named.filter((placer) => readOrderNumber(placer) !== null);
  const fillers = updates.map(({ filler }) => filler).filter((filler) => filler !== '');
  return findOrder(tx.db, connection.lab_id, {
    placerNumbers:
      ofMessage === null ? [...new Set(ours.length === 0 && fillers.length === 0 ? named : ours)] : [ofMessage],
    fillerNumbers: ofMessage === null ? [...new Set(fillers)] : [],
    sampleIds: [],
    accessionNumbers: [],
    account: accountOf(message, connection.settings),
  });
}

/**
 * Reads the order number from a control id, the id of one of our messages: `P0000001XN2` is the second message that
 * orders P0000001X.
 */
const numberOfControlId = (controlId: string): string | null =>
  readOrderNumber(/^(P[0-9A-Z]+)[NC]\d*$/.exec(controlId)?.[1] ?? '')?.number ?? null;

/**
 * Finds the row of the outbox to which a reply belongs. If the reply names one of our messages, this is the row of that
 * message. Otherwise it is the newest sent row of the order.
 */
async function findSentRowOrNull(
  ctx: TxCtx<TeamCtx>,
  { user_id, order_id }: Pick<MatchedOrder, 'user_id' | 'order_id'>,
  controlId: string,
): Promise<SentRow | null> {
  const { rows } = await sql<SentRow>`
    select o.user_id, o.id, o.order_id, o.action, o.tests from laboratory_outbox o
      left join hl7_outgoing m on m.user_id = o.user_id and m.id = o.id
     where o.user_id = ${user_id} and o.order_id = ${order_id} and o.sent_at is not null
     order by (m.control_id = ${controlId}) is true desc, o.id desc limit 1`.execute(ctx.db);
  return rows[0] ?? null;
}

/**
 * Codes of ORC-1 (what the sender wants) and ORC-5 (the order's status) with which the laboratory reports that it ended
 * an order by itself. HL7 tables 0119 and 0038 define them.
 */
const ENDS: ReadonlySet<string> = new Set(['OC', 'OD', 'CA', 'DC', 'CR', 'DR']);
const ENDED: ReadonlySet<string> = new Set(['CA', 'DC']);
/** Codes of ORC-1, the order control, that change nothing: the order continues. */
const GOES_ON: ReadonlySet<string> = new Set(['SC', 'OK', 'NA', 'OF', 'RE', 'XO', 'SN']);
/** Codes of ORC-5, the order's status at the laboratory, that concern a sample, with our order status for each. */
const STATUS: ReadonlyMap<string, LowLevelStatus> = new Map([
  ['IP', 'delivered_to_lab'],
  ['HD', 'lab_processing_blocked'],
]);

const isEnded = ({ control, status }: OrderUpdate): boolean =>
  ENDS.has(control) || ((control === 'SC' || control === '') && ENDED.has(status));

type OrderWithUpdates = { order: LoadedOrder; updates: OrderUpdate[]; connection: Connection };

async function moveOrder(ctx: TxCtx<TeamCtx>, { order, updates, connection }: OrderWithUpdates): Promise<void> {
  const ended = updates.filter(isEnded);
  const isWhole = ended.some(({ position }) => position === null) || positionsOf(order).every((at) => isOf(ended, at));
  if (ended.length > 0) {
    const positions = isWhole ? null : ended.flatMap(({ position }) => position ?? []);
    return endTests(ctx, { order, positions, connection });
  }
  if (updates.some((each) => refusalOf(each, 'new') !== null)) {
    const sent = await findSentRowOrNull(ctx, { user_id: order.row.user_id, order_id: order.row.id }, '');
    if (!sent) throw new ResultProblem('unknown_number');
    const reply: Reply = { code: 'AA', isCommit: false, reason: null, orders: updates };
    await applyReplyTo(ctx, { sent, order }, { reply, connection });
    return;
  }
  if (!updates.some(({ control, status }) => GOES_ON.has(control) || STATUS.has(status))) fail('wrong_orc_1');
  const status = updates.map((each) => STATUS.get(each.status)).find((known) => known !== undefined);
  // Only orders of kits have a status for a sample that has arrived, and a status for a sample that is on hold.
  if (status !== undefined && order.row.method === 'testkit') await advanceOrder(ctx, order, { status });
}

const isOf = (updates: OrderUpdate[], at: number): boolean => updates.some(({ position }) => position === at);

/** Ends the tests at these positions. If `positions` is null, it ends the order. */
async function endTests(
  ctx: TxCtx<TeamCtx>,
  { order, positions, connection }: { order: LoadedOrder; positions: number[] | null; connection: Connection },
): Promise<void> {
  const { user_id, id, last_low_level_status: last } = order.row;
  if (!isOpen(last)) return;
  const off = positions === null || (await cancelsEveryTest(ctx, order, positions)) ? null : positions;
  // The laboratory itself ended the tests. So we send it no cancellation, and none of the order messages about these
  // tests that still wait in the outbox.
  await sql`
    update laboratory_outbox set state = 'given_up', last_error = 'oc', answered_at = now(), set_aside = false
     where user_id = ${user_id} and order_id = ${id} and action = 'new' and state <> 'given_up'
       and (${off}::integer[] is null or tests <@ ${off}::integer[])`.execute(ctx.db);
  const by = { laboratory: connection, at: new Date() };
  const outcome = await (off === null ? callOffOrder(ctx, order) : callOffTests(ctx, order, off, by));
  if (outcome === 'under_way') fail(off === null ? 'order_under_way' : 'test_has_result');
}

function fail(code: ConstructorParameters<typeof ResultProblem>[0]): never {
  throw new ResultProblem(code);
}
