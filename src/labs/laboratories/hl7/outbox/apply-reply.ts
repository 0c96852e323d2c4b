import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../../orders/load.ts';
import type { Connection } from '../connections/find-connection.ts';
import { keepNumbers } from '../inbox/keep-numbers.ts';
import { isTaken, isUnknown, refusalOf, type Reply } from '../messages/read-reply.ts';
import { settle } from './settle.ts';
import { placesOf, splitOff } from './split.ts';
import type { Waiting } from './take-waiting.ts';

/** What a reply is the answer to. */
export type Answered = Pick<Waiting, 'user_id' | 'id' | 'order_id' | 'action' | 'tests'>;
export type Verdict = { state: 'committed' | 'accepted' | 'refused'; reason: string | null };
type Told = { reply: Reply; connection: Pick<Connection, 'settings'> };

/**
 * Keeps what a laboratory answered, and its own numbers of the order. Where it refuses some tests of a message and takes others, the
 * refused ones get a row of the outbox of their own, so that sending them again repeats nothing that was taken.
 */
export function applyReply(ctx: TeamCtx, answered: Answered, told: Told): Promise<Verdict> {
  return inTransaction(ctx, async (tx) => {
    const order = await lockOrderIfPresent(tx, answered.order_id);
    return applyReplyTo(tx, { answered, order }, told);
  });
}

/** The same under the lock of the order, in the caller's transaction; `order` is null where its user is leaving. */
export async function applyReplyTo(
  tx: TxCtx<TeamCtx>,
  { answered, order }: { answered: Answered; order: LoadedOrder | null },
  { reply, connection }: Told,
): Promise<Verdict> {
  if (order) await keepNumbers(tx, answered, { fillerNumbers: fillersOf(reply), accessionNumbers: [] });
  if (reply.orders.some((news) => isUnknown(news, answered.action)))
    tx.log.warn(
      { order_id: answered.order_id, outbox_id: answered.id, reason: 'unknown_order_control' },
      'a laboratory answered an order by a code of which nobody knows what it says',
    );
  const places = order ? (answered.tests ?? placesOf(order)) : [0];
  const reasons = new Map(places.map((place) => [place, reasonOf(reply, answered.action, place)]));
  const off = places.filter((place) => reasons.get(place) !== null);
  const kept = places.filter((place) => reasons.get(place) === null);
  const reason = reasons.get(off[0] ?? 0) ?? null;
  if (off.length === 0) {
    const waits = reply.isCommit && reply.orders.length === 0 && isEnhanced(connection);
    return settled(tx, answered, { state: waits ? 'committed' : 'accepted', reason: null });
  }
  if (kept.length === 0) return settled(tx, answered, { state: 'refused', reason });
  const id = await splitOff(tx, answered, { kept, off, isSent: true });
  await settle(tx, answered, { state: 'accepted', reason: null });
  return settled(tx, { user_id: answered.user_id, id }, { state: 'refused', reason });
}

/** Why a test is refused: by what is said of it, else of the order, else of the message. Null where it is taken. */
function reasonOf(reply: Reply, action: Answered['action'], place: number): string | null {
  const { orders } = reply;
  const news = orders.find((each) => each.place === place) ?? orders.find((each) => each.place === null) ?? null;
  const told = news ? refusalOf(news, action) : null;
  if (told !== null) return told;
  return reply.code === 'AA' || (news !== null && isTaken(news, action)) ? null : codeOf(reply);
}

async function settled(tx: TxCtx, row: Pick<Answered, 'user_id' | 'id'>, verdict: Verdict): Promise<Verdict> {
  await settle(tx, row, verdict);
  return verdict;
}

const isEnhanced = ({ settings }: Pick<Connection, 'settings'>): boolean =>
  settings.orders.acknowledgments === 'enhanced';

/** As `ae_101`, `ce`. */
const codeOf = ({ code, isCommit, reason }: Reply): string =>
  [isCommit ? code.replace('A', 'C') : code, reason].filter(Boolean).join('_').toLowerCase();

const fillersOf = ({ orders }: Reply): string[] => [
  ...new Set(orders.map(({ filler }) => filler).filter((filler) => filler !== '')),
];
