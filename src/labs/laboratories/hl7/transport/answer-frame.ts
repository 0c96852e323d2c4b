import { newControlId } from '@phial/hl7/acknowledgment';
import { answerToBatches, firstMessages, INCOMPLETE, readBatches } from '@phial/hl7/batch';
import type { Ctx } from '../../../../context.ts';
import type { Connection } from '../connections/find-connection.ts';
import type { Receive } from '../inbox/receive.ts';
import { takeBatches } from './take-batches.ts';

/** Messages of a batch, and orders told of in them: the message that follows is refused, and what is behind it is not read. */
const MOST_OF_BATCH = 1_000;

/** A message has one answer; a batch has one, of the answers to its messages. */
export async function answersTo(
  ctx: Ctx,
  receive: Receive,
  speakers: Connection[],
  content: Buffer,
): Promise<Buffer[]> {
  const told = readBatches(firstMessages(content, MOST_OF_BATCH + 1));
  if (told.batches.length === 0) return [(await receive(speakers, content)).ack];
  const { acks } = await takeBatches(receive, speakers, told, MOST_OF_BATCH);
  if (!told.isWhole)
    ctx.log.warn(
      { lab: speakers[0]?.slug, reason: INCOMPLETE },
      'a batch of a laboratory lacks messages that it counts',
    );
  const isBatch = told.file !== null || told.batches.some(({ header }) => header !== null);
  return isBatch ? [answerToBatches(told, acks, newControlId)] : acks.flat();
}
