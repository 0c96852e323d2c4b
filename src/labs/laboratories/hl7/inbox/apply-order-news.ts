// What a laboratory says of orders by messages of its own: what it makes of one that it was sent (ORL, ORR, ACK), and what
// becomes of one later (ORM, OML, OSU).
import { sql } from 'kysely';
import { segmentOf, textAt, type Message } from '@phial/hl7/message';
import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { findTeamScopeOrNull, forTeam } from '../../../../tenancy/teams/scope.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../../orders/load.ts';
import { isOpen, type LowLevelStatus } from '../../../orders/status/table.ts';
import { callOffOrder, callOffTests, leavesNone } from '../../call-off.ts';
import type { Connection } from '../connections/find-connection.ts';
import { accountOf } from '../messages/account.ts';
import { readOrderNumber } from '../messages/order-number.ts';
import { readOrderNews, readReply, refusalOf, type OrderNews, type Reply } from '../messages/read-reply.ts';
import { ResultProblem } from '../messages/result-problem.ts';
import { patientOf } from '../messages/read-patient.ts';
import { applyReplyTo, type Answered } from '../outbox/apply-reply.ts';
import { placesOf } from '../outbox/split.ts';
import { walk } from './apply-result.ts';
import { refuseOtherPatient, refuseOtherUser } from './check-patient.ts';
import { findOrder, type MatchedOrder } from './find-order.ts';
import { keepNumbers } from './keep-numbers.ts';

const REPLIES = new Set(['ACK', 'ORL', 'ORR']);
const NEWS = new Set(['ORM', 'OML', 'OSU']);

/** Whether a message is about orders that the laboratory was sent, rather than a result. */
export const isAboutOrders = (header: Message[number] | undefined): boolean =>
  REPLIES.has(textAt(header, 9)) || NEWS.has(textAt(header, 9));

type Heard = { message: Message; connection: Connection };

/** Does what the message says; tells whose order it was of. Throws ResultProblem, after `tell` where the order was found. */
export async function applyOrderNews(tx: TxCtx, heard: Heard, tell: (of: MatchedOrder) => void): Promise<void> {
  const { message, connection } = heard;
  const reply = REPLIES.has(textAt(segmentOf(message, 'MSH'), 9)) ? readReply(message) : null;
  const news = reply?.orders ?? readOrderNews(message);
  const matched = await findMeant(tx, heard, { reply, news });
  tell(matched);
  const team = await findTeamScopeOrNull(tx, matched.team_id);
  if (!team) throw new ResultProblem('unknown_number');
  const ctx = forTeam(tx, team);
  const order = await lockOrderIfPresent(ctx, matched.order_id);
  if (!order) throw new ResultProblem('user_scheduled_for_deletion');
  const patient = patientOf(segmentOf(message, 'PID'));
  await refuseOtherUser(tx, { user_id: matched.user_id, patient, settings: connection.settings });
  refuseOtherPatient(order, patient);
  if (reply) {
    const answered = await findAnsweredOrNull(ctx, matched, reply.controlId);
    if (!answered) throw new ResultProblem('unknown_number');
    await applyReplyTo(ctx, { answered, order }, { reply, connection });
    return;
  }
  await keepNumbers(ctx, matched, {
    fillerNumbers: news.map(({ filler }) => filler).filter((filler) => filler !== ''),
    accessionNumbers: [],
  });
  await moveOrder(ctx, { order, news, connection });
}

/** By the numbers of the order; a reply without any names our message, whose control id begins with the order's number. */
function findMeant(
  tx: TxCtx,
  { message, connection }: Heard,
  { reply, news }: { reply: ReturnType<typeof readReply>; news: OrderNews[] },
): Promise<MatchedOrder> {
  const ofMessage = reply ? numberOfControlId(reply.controlId) : null;
  const named = news.map(({ placer }) => placer).filter((placer) => placer !== '');
  const ours = named.filter((placer) => readOrderNumber(placer) !== null);
  const fillers = news.map(({ filler }) => filler).filter((filler) => filler !== '');
  return findOrder(tx.db, connection.lab_id, {
    placerNumbers:
      ofMessage === null ? [...new Set(ours.length === 0 && fillers.length === 0 ? named : ours)] : [ofMessage],
    fillerNumbers: ofMessage === null ? [...new Set(fillers)] : [],
    sampleIds: [],
    accessionNumbers: [],
    account: accountOf(message, connection.settings),
  });
}

/** `P0000001XN2` is the second message of order P0000001X. */
const numberOfControlId = (controlId: string): string | null =>
  readOrderNumber(/^(P[0-9A-Z]+)[NC]\d*$/.exec(controlId)?.[1] ?? '')?.number ?? null;

/** The row of the outbox that a reply is to: that of the message which it names, else the newest of the order that was sent. */
async function findAnsweredOrNull(
  ctx: TxCtx<TeamCtx>,
  { user_id, order_id }: Pick<MatchedOrder, 'user_id' | 'order_id'>,
  controlId: string,
): Promise<Answered | null> {
  const { rows } = await sql<Answered>`
    select o.user_id, o.id, o.order_id, o.action, o.tests from laboratory_outbox o
      left join hl7_outgoing m on m.user_id = o.user_id and m.id = o.id
     where o.user_id = ${user_id} and o.order_id = ${order_id} and o.sent_at is not null
     order by (m.control_id = ${controlId}) is true desc, o.id desc limit 1`.execute(ctx.db);
  return rows[0] ?? null;
}

/** Words of ORC-1 and ORC-5 for an order that the laboratory itself has ended (HL7 tables 0119 and 0038). */
const ENDS: ReadonlySet<string> = new Set(['OC', 'OD', 'CA', 'DC', 'CR', 'DR']);
const ENDED: ReadonlySet<string> = new Set(['CA', 'DC']);
/** Of orders that go on. */
const GOES_ON: ReadonlySet<string> = new Set(['SC', 'OK', 'NA', 'OF', 'RE', 'XO', 'SN']);
/** ORC-5, for what is said of a sample that lies at the laboratory. */
const STATUS: ReadonlyMap<string, LowLevelStatus> = new Map([
  ['IP', 'delivered_to_lab'],
  ['HD', 'lab_processing_blocked'],
]);

const isEnded = ({ control, status }: OrderNews): boolean =>
  ENDS.has(control) || ((control === 'SC' || control === '') && ENDED.has(status));

type Moved = { order: LoadedOrder; news: OrderNews[]; connection: Connection };

async function moveOrder(ctx: TxCtx<TeamCtx>, { order, news, connection }: Moved): Promise<void> {
  const ended = news.filter(isEnded);
  const isWhole = ended.some(({ place }) => place === null) || placesOf(order).every((at) => isOf(ended, at));
  if (ended.length > 0) {
    const places = isWhole ? null : ended.flatMap(({ place }) => place ?? []);
    return endTests(ctx, { order, places, connection });
  }
  if (news.some((each) => refusalOf(each, 'new') !== null)) {
    const answered = await findAnsweredOrNull(ctx, { user_id: order.row.user_id, order_id: order.row.id }, '');
    if (!answered) throw new ResultProblem('unknown_number');
    const reply: Reply = { code: 'AA', isCommit: false, reason: null, orders: news };
    await applyReplyTo(ctx, { answered, order }, { reply, connection });
    return;
  }
  if (!news.some(({ control, status }) => GOES_ON.has(control) || STATUS.has(status))) fail('wrong_orc_1');
  const status = news.map((each) => STATUS.get(each.status)).find((known) => known !== undefined);
  // Only a kit has a status for a sample that has arrived, or lies there.
  if (status !== undefined && order.row.method === 'testkit') await walk(ctx, order, { status });
}

const isOf = (news: OrderNews[], at: number): boolean => news.some(({ place }) => place === at);

/** All of an order, where `places` is null. */
async function endTests(
  ctx: TxCtx<TeamCtx>,
  { order, places, connection }: { order: LoadedOrder; places: number[] | null; connection: Connection },
): Promise<void> {
  const { user_id, id, last_low_level_status: last } = order.row;
  if (!isOpen(last)) return;
  const off = places === null || (await leavesNone(ctx, order, places)) ? null : places;
  // It knows: it is told of no cancellation, and what was not sent yet is not sent.
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
