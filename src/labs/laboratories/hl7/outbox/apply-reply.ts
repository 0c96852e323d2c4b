import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../../orders/load-order.ts';
import type { Connection } from '../connections/find-connection.ts';
import { storeNumbers } from '../store-numbers.ts';
import { isTaken, isUnknown, refusalOf, type Reply } from '../messages/read-reply.ts';
import { recordResponse } from './record-response.ts';
import { positionsOf, splitOff } from './split-off.ts';
import type { WaitingMessage } from './take-waiting.ts';

/** The message to a laboratory to which a reply belongs. */
export type Answered = Pick<WaitingMessage, 'user_id' | 'id' | 'order_id' | 'action' | 'tests'>;
export type Verdict = { state: 'committed' | 'accepted' | 'refused'; reason: string | null };
type ReceivedReply = { reply: Reply; connection: Pick<Connection, 'settings'> };

/**
 * Stores a laboratory's reply and the laboratory's own numbers of the order. A laboratory may refuse some tests of a
 * message and accept others. Then the refused tests get a new row in the outbox. If somebody sends that row again, the
 * laboratory does not get the accepted tests twice.
 */
export function applyReply(ctx: TeamCtx, answered: Answered, received: ReceivedReply): Promise<Verdict> {
  return inTransaction(ctx, async (tx) => {
    const order = await lockOrderIfPresent(tx, answered.order_id);
    return applyReplyTo(tx, { answered, order }, received);
  });
}

/**
 * Like `applyReply`, in the caller's transaction, which holds the lock of the order. `order` is null if its user is
 * scheduled for deletion.
 */
export async function applyReplyTo(
  tx: TxCtx<TeamCtx>,
  { answered, order }: { answered: Answered; order: LoadedOrder | null },
  { reply, connection }: ReceivedReply,
): Promise<Verdict> {
  if (order) await storeNumbers(tx, answered, { fillerNumbers: fillersOf(reply), accessionNumbers: [] });
  if (reply.orders.some((update) => isUnknown(update, answered.action)))
    tx.log.warn(
      { order_id: answered.order_id, outbox_id: answered.id, reason: 'unknown_order_control' },
      'a laboratory answered an order with an unknown order control code',
    );
  const positions = order ? (answered.tests ?? positionsOf(order)) : [0];
  const reasons = new Map(positions.map((position) => [position, reasonOf(reply, answered.action, position)]));
  const off = positions.filter((position) => reasons.get(position) !== null);
  const retained = positions.filter((position) => reasons.get(position) === null);
  const reason = reasons.get(off[0] ?? 0) ?? null;
  if (off.length === 0) {
    const waits = reply.isCommit && reply.orders.length === 0 && isEnhanced(connection);
    return recordVerdict(tx, answered, { state: waits ? 'committed' : 'accepted', reason: null });
  }
  if (retained.length === 0) return recordVerdict(tx, answered, { state: 'refused', reason });
  const id = await splitOff(tx, answered, { retained, off, isSent: true });
  await recordResponse(tx, answered, { state: 'accepted', reason: null });
  return recordVerdict(tx, { user_id: answered.user_id, id }, { state: 'refused', reason });
}

/**
 * Returns the reason why a test is refused; null if it is accepted. The reply may have an update about the test, an
 * update about the order, and an acknowledgment of the entire message. The first of these that exists decides.
 */
function reasonOf(reply: Reply, action: Answered['action'], position: number): string | null {
  const { orders } = reply;
  const update =
    orders.find((each) => each.position === position) ?? orders.find((each) => each.position === null) ?? null;
  const refusal = update ? refusalOf(update, action) : null;
  if (refusal !== null) return refusal;
  return reply.code === 'AA' || (update !== null && isTaken(update, action)) ? null : codeOf(reply);
}

async function recordVerdict(tx: TxCtx, row: Pick<Answered, 'user_id' | 'id'>, verdict: Verdict): Promise<Verdict> {
  await recordResponse(tx, row, verdict);
  return verdict;
}

const isEnhanced = ({ settings }: Pick<Connection, 'settings'>): boolean =>
  settings.orders.acknowledgments === 'enhanced';

/**
 * Returns the reply as one code: `ae_101` for AE (an error) with condition 101, or `ce` for an error that the
 * laboratory reported when it stored the message.
 */
const codeOf = ({ code, isCommit, reason }: Reply): string =>
  [isCommit ? code.replace('A', 'C') : code, reason].filter(Boolean).join('_').toLowerCase();

const fillersOf = ({ orders }: Reply): string[] => [
  ...new Set(orders.map(({ filler }) => filler).filter((filler) => filler !== '')),
];
