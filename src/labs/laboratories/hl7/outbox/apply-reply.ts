import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../../orders/load-order.ts';
import type { Connection } from '../connections/find-connection.ts';
import { storeNumbers } from '../store-numbers.ts';
import { isTaken, isUnknown, refusalOf, type Reply } from '../messages/read-reply.ts';
import { recordReply } from './record-reply.ts';
import { positionsOf, splitOff } from './split-off.ts';
import type { WaitingMessage } from './take-waiting.ts';

/** A row of the outbox, which is a message to a laboratory. The laboratory has replied to this message. */
export type SentRow = Pick<WaitingMessage, 'user_id' | 'id' | 'order_id' | 'action' | 'tests'>;
export type Verdict = { state: 'committed' | 'accepted' | 'refused'; reason: string | null };
type ReceivedReply = { reply: Reply; connection: Pick<Connection, 'settings'> };

/**
 * Stores a laboratory's reply and the laboratory's own numbers of the order. A laboratory may refuse some tests of a
 * message and accept others. Then the refused tests get a new row in the outbox. If somebody sends that row again, the
 * laboratory does not get the accepted tests twice.
 */
export function applyReply(ctx: TeamCtx, sent: SentRow, received: ReceivedReply): Promise<Verdict> {
  return inTransaction(ctx, async (tx) => {
    const order = await lockOrderIfPresent(tx, sent.order_id);
    return applyReplyTo(tx, { sent, order }, received);
  });
}

/**
 * Like `applyReply`, in the caller's transaction, which holds the lock of the order. `order` is null if its user is
 * scheduled for deletion.
 */
export async function applyReplyTo(
  tx: TxCtx<TeamCtx>,
  { sent, order }: { sent: SentRow; order: LoadedOrder | null },
  { reply, connection }: ReceivedReply,
): Promise<Verdict> {
  if (order) await storeNumbers(tx, sent, { fillerNumbers: fillersOf(reply), accessionNumbers: [] });
  if (reply.orders.some((update) => isUnknown(update, sent.action)))
    tx.log.warn(
      { order_id: sent.order_id, outbox_id: sent.id, reason: 'unknown_order_control' },
      'a laboratory replied to an order with an unknown order control code',
    );
  const positions = order ? (sent.tests ?? positionsOf(order)) : [0];
  const reasons = new Map(positions.map((position) => [position, reasonOf(reply, sent.action, position)]));
  const off = positions.filter((position) => reasons.get(position) !== null);
  const retained = positions.filter((position) => reasons.get(position) === null);
  const reason = reasons.get(off[0] ?? 0) ?? null;
  if (off.length === 0) {
    const waits = reply.isCommit && reply.orders.length === 0 && isEnhanced(connection);
    return recordVerdict(tx, sent, { state: waits ? 'committed' : 'accepted', reason: null });
  }
  if (retained.length === 0) return recordVerdict(tx, sent, { state: 'refused', reason });
  const id = await splitOff(tx, sent, { retained, off, isSent: true });
  await recordReply(tx, sent, { state: 'accepted', reason: null });
  return recordVerdict(tx, { user_id: sent.user_id, id }, { state: 'refused', reason });
}

/**
 * Returns the reason why a test is refused; null if it is accepted. The reply may have an update about the test, an
 * update about the order, and an acknowledgment of the entire message. The first of these that exists decides.
 */
function reasonOf(reply: Reply, action: SentRow['action'], position: number): string | null {
  const { orders } = reply;
  const update =
    orders.find((each) => each.position === position) ?? orders.find((each) => each.position === null) ?? null;
  const refusal = update ? refusalOf(update, action) : null;
  if (refusal !== null) return refusal;
  return reply.code === 'AA' || (update !== null && isTaken(update, action)) ? null : codeOf(reply);
}

async function recordVerdict(tx: TxCtx, row: Pick<SentRow, 'user_id' | 'id'>, verdict: Verdict): Promise<Verdict> {
  await recordReply(tx, row, verdict);
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
