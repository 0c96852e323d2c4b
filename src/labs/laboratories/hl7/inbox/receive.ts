import { newControlId, type AckCode } from '@phial/hl7/acknowledgment';
import { encode } from '@phial/hl7/encoding';
import { textAt } from '@phial/hl7/message';
import { parseHeader } from '@phial/hl7/parse';
import { write } from '@phial/hl7/write';
import type { Ctx } from '../../../../context.ts';
import { FairShare } from '../../../../fair/fair-share.ts';
import type { Connection } from '../connections/find-connection.ts';
import { ackOf } from '../messages/ack.ts';
import { isRejected } from '../messages/result-problem.ts';
import { splitMessage } from '../messages/split-message.ts';
import type { Applied } from './apply-message.ts';
import { storeMessage } from './store-message.ts';
import { tryMessage } from './try-message.ts';

/** What cannot be answered by its own control id, or is not for us at all. */
const NOT_FOR_US = new Set(['no_header', 'bad_delimiters', 'too_large']);

/** Messages that a process takes at a time, which leaves connections to background work; and of one laboratory. */
const AT_ONCE = 3;
const OF_A_LABORATORY = 2;

/** `parts`: how many patients and orders it told of. `ok`: all of it was applied. */
type Received = { ack: Buffer; ok: boolean; parts: number };

/** Takes a message of one of the laboratories that may speak there, when its turn comes. */
export type Receive = (speakers: Connection[], bytes: Buffer) => Promise<Received>;

/** Of who shares connections to the database, whichever way a message comes. */
const turnsOf = new WeakMap<Ctx['db'], FairShare>();

/** Takes messages of laboratories, which take turns: none keeps another waiting for longer than a message. */
export function openReceiver(ctx: Ctx): Receive {
  const turns = turnsOf.get(ctx.db) ?? new FairShare({ permits: AT_ONCE, mostOfOrg: OF_A_LABORATORY });
  turnsOf.set(ctx.db, turns);
  return (speakers, bytes) => {
    const lab = speakers[0]?.slug ?? '';
    return turns.run({ org: lab, team: lab }, () => receive(ctx, speakers, bytes));
  };
}

/**
 * Takes a message of one of the laboratories that may speak here: keeps it, does what it says, and answers. AA: done.
 * AE: it is kept, and something in it has to be repaired, by the laboratory or the operator. AR: it is kept, and no
 * message for us. Throws only where it could not be kept: then there is no answer, and the laboratory sends it again.
 */
async function receive(ctx: Ctx, speakers: Connection[], bytes: Buffer): Promise<Received> {
  const header = parseHeader(bytes.toString('latin1'));
  const connection =
    speakers.find(
      ({ settings }) =>
        textAt(header ?? undefined, 3) === settings.application && textAt(header ?? undefined, 4) === settings.facility,
    ) ?? (speakers[0] as Connection);
  // All of it is kept before anything of it is done: each patient's part of a result is a message of its own from here
  // on.
  const parts: Awaited<ReturnType<typeof storeMessage>>[] = [];
  for (const part of textAt(header ?? undefined, 9) === 'ORU' ? splitMessage(bytes) : [bytes])
    parts.push(await storeMessage(ctx, { labId: connection.lab_id, bytes: part, header }));
  const reasons: (string | null)[] = [];
  for (const part of parts) reasons.push(await settle(ctx, connection, part));
  const reason = reasons.find((each) => each !== null) ?? null;
  const ack = ackOf(header, { code: codeOf(reasons), reason, id: newControlId() });
  return {
    ack: encode(write(ack), connection.settings.charset ?? 'UTF-8'),
    ok: reason === null,
    parts: parts.length,
  };
}

/** Why it waits; null where it was applied. */
async function settle(
  ctx: Ctx,
  { slug }: Connection,
  { id, state }: Awaited<ReturnType<typeof storeMessage>>,
): Promise<string | null> {
  const ids = { lab: slug, message_id: id };
  const isSettled = state === 'applied' || state === 'discarded';
  const { reason } = isSettled ? { reason: null } : await apply(ctx, id, ids);
  if (reason === null) ctx.log.info(ids, 'a message of a laboratory was applied');
  else ctx.log.warn({ ...ids, reason }, 'a message of a laboratory waits to be repaired');
  return reason;
}

/** A message is rejected where each part of it is. */
function codeOf(reasons: (string | null)[]): AckCode {
  if (reasons.every((reason) => reason === null)) return 'AA';
  return reasons.every((reason) => reason !== null && (isRejected(reason) || NOT_FOR_US.has(reason))) ? 'AR' : 'AE';
}

/** It is kept: whatever went wrong here, the next try is the job's. */
async function apply(ctx: Ctx, id: string, ids: object): Promise<Applied> {
  try {
    return await tryMessage(ctx, id);
  } catch (err) {
    ctx.log.error({ err, ...ids }, 'a message of a laboratory could not be applied yet');
    return { state: 'received', reason: 'internal_error' };
  }
}
