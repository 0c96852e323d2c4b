import { newControlId, type AckCode } from '@phial/hl7/acknowledgment';
import { encode } from '@phial/hl7/encoding';
import { textAt } from '@phial/hl7/message';
import { parseHeader } from '@phial/hl7/parse';
import { write } from '@phial/hl7/write';
import type { Ctx } from '../../../context.ts';
import { FairShare } from '../../../fair/fair-share.ts';
import type { Connection } from './connections/find-connection.ts';
import { ackOf } from './messages/ack.ts';
import { isRejected } from './messages/result-problem.ts';
import { splitMessage } from './messages/split-message.ts';
import type { Applied } from './inbox/apply-message.ts';
import { storeMessage } from './inbox/store-message.ts';
import { tryMessage } from './inbox/try-message.ts';

/**
 * Codes for messages that are too large, or whose header we cannot read. We acknowledge them with AR (application
 * reject).
 */
const NOT_FOR_US = new Set(['no_header', 'bad_delimiters', 'too_large']);

/**
 * The most messages that a process handles at the same time, in total and from one laboratory. The limits leave
 * database connections for background work.
 */
const AT_ONCE = 3;
const OF_A_LABORATORY = 2;

/**
 * `parts` is the number of messages into which we split the message, one for each patient and order. `ok` is true if
 * all of them were applied.
 */
type Received = { ack: Buffer; ok: boolean; parts: number };

/**
 * Handles a message from a laboratory when a permit is free, which is the right to handle one message. `speakers` are
 * the laboratories that may send on this connection or in this folder.
 */
export type Receive = (speakers: Connection[], bytes: Buffer) => Promise<Received>;

/**
 * The permits for handling messages, by database pool. Messages by MLLP and from folders share them, because they use
 * the same database connections.
 */
const sharesOf = new WeakMap<Ctx['db'], FairShare>();

/**
 * Opens the inbox for messages of laboratories. The laboratories get permits in round robin. So a laboratory with many
 * messages delays another laboratory by at most one message.
 */
export function openInbox(ctx: Ctx): Receive {
  const share = sharesOf.get(ctx.db) ?? new FairShare({ permits: AT_ONCE, maxOfOrg: OF_A_LABORATORY });
  sharesOf.set(ctx.db, share);
  return (speakers, bytes) => {
    const lab = speakers[0]?.slug ?? '';
    return share.run({ org: lab, team: lab }, () => receive(ctx, speakers, bytes));
  };
}

/**
 * Stores a message of one of the laboratories that may send here, applies it and returns the acknowledgment. AA: the
 * message was applied. AE: it is stored, but the laboratory or the operator must repair a part. AR: it is stored, but
 * it is not a message for us. The function throws only if it could not store the message. Then the laboratory gets no
 * acknowledgment and sends the message again.
 */
async function receive(ctx: Ctx, speakers: Connection[], bytes: Buffer): Promise<Received> {
  const header = parseHeader(bytes.toString('latin1'));
  const connection =
    speakers.find(
      ({ settings }) =>
        textAt(header ?? undefined, 3) === settings.application && textAt(header ?? undefined, 4) === settings.facility,
    ) ?? (speakers[0] as Connection);
  // We store all parts before we apply the first one, so a crash loses no part. From here on, each part is a separate
  // message.
  const parts: Awaited<ReturnType<typeof storeMessage>>[] = [];
  for (const part of textAt(header ?? undefined, 9) === 'ORU' ? splitMessage(bytes) : [bytes])
    parts.push(await storeMessage(ctx, { labId: connection.lab_id, bytes: part, header }));
  const reasons: (string | null)[] = [];
  for (const part of parts) reasons.push(await applyPart(ctx, connection, part));
  const reason = reasons.find((each) => each !== null) ?? null;
  const ack = ackOf(header, { code: codeOf(reasons), reason, id: newControlId() });
  return {
    ack: encode(write(ack), connection.settings.charset ?? 'UTF-8'),
    ok: reason === null,
    parts: parts.length,
  };
}

/** Applies a part. Returns the reason why the part waits; null if it was applied. */
async function applyPart(
  ctx: Ctx,
  { slug }: Connection,
  { id, state }: Awaited<ReturnType<typeof storeMessage>>,
): Promise<string | null> {
  const ids = { lab: slug, message_id: id };
  const isDone = state === 'applied' || state === 'discarded';
  const { reason } = isDone ? { reason: null } : await apply(ctx, id, ids);
  if (reason === null) ctx.log.info(ids, 'a message of a laboratory was applied');
  else ctx.log.warn({ ...ids, reason }, 'a message of a laboratory waits to be repaired');
  return reason;
}

/** Returns the acknowledgment code: AA if all parts were applied, AR if all parts were rejected, and AE otherwise. */
function codeOf(reasons: (string | null)[]): AckCode {
  if (reasons.every((reason) => reason === null)) return 'AA';
  return reasons.every((reason) => reason !== null && (isRejected(reason) || NOT_FOR_US.has(reason))) ? 'AR' : 'AE';
}

/** Applies a stored part. It does not throw. If there is any error, the inbox job applies the part later. */
async function apply(ctx: Ctx, id: string, ids: object): Promise<Applied> {
  try {
    return await tryMessage(ctx, id);
  } catch (err) {
    ctx.log.error({ err, ...ids }, 'a message of a laboratory could not be applied yet');
    return { state: 'received', reason: 'internal_error' };
  }
}
