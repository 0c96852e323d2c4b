import { newControlId } from '@phial/hl7/acknowledgment';
import { responseToBatches, firstMessages, INCOMPLETE, readBatches } from '@phial/hl7/batch';
import type { Ctx } from '../../../../context.ts';
import type { Connection } from '../connections/find-connection.ts';
import type { Receive } from '../open-inbox.ts';
import { takeBatches } from './take-batches.ts';

/**
 * The most messages in a batch, and the most orders in them together. We refuse further messages without reading them.
 */
const MAX_OF_BATCH = 1_000;

/**
 * Returns the acknowledgments of the messages in a frame, which is what a laboratory sends at a time: one message or a
 * batch. For a batch it returns one batch with all acknowledgments.
 */
export async function acknowledgeFrame(
  ctx: Ctx,
  receive: Receive,
  speakers: Connection[],
  content: Buffer,
): Promise<Buffer[]> {
  const parsed = readBatches(firstMessages(content, MAX_OF_BATCH + 1));
  if (parsed.batches.length === 0) return [(await receive(speakers, content)).ack];
  const { acks } = await takeBatches(receive, speakers, parsed, MAX_OF_BATCH);
  if (!parsed.isWhole)
    ctx.log.warn(
      { lab: speakers[0]?.slug, reason: INCOMPLETE },
      'a batch of a laboratory has fewer messages than its trailer counts',
    );
  const isBatch = parsed.file !== null || parsed.batches.some(({ header }) => header !== null);
  return isBatch ? [responseToBatches(parsed, acks, newControlId)] : acks.flat();
}
