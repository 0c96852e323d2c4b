import { newControlId } from '@phial/hl7/acknowledgment';
import type { Batches } from '@phial/hl7/batch';
import { parseHeader } from '@phial/hl7/parse';
import { write } from '@phial/hl7/write';
import type { Connection } from '../connections/find-connection.ts';
import type { Receive } from '../open-inbox.ts';
import { ackOf } from '../messages/ack.ts';

type TakenBatches = { acks: Buffer[][]; ok: boolean };

/**
 * Handles the messages of batches one after the other, until they contain `most` orders together. It refuses each later
 * message as `too_large`. The laboratory has to send that message again.
 */
export async function takeBatches(
  receive: Receive,
  speakers: Connection[],
  { batches }: Batches,
  most: number,
): Promise<TakenBatches> {
  const acks: Buffer[][] = [];
  let parts = 0;
  let isDone = true;
  for (const { messages } of batches) {
    const own: Buffer[] = [];
    for (const message of messages) {
      const taken = parts < most ? await receive(speakers, message) : refuse(message);
      parts += taken.parts;
      isDone &&= taken.ok;
      own.push(taken.ack);
    }
    acks.push(own);
  }
  return { acks, ok: isDone };
}

function refuse(message: Buffer): { ack: Buffer; ok: boolean; parts: number } {
  const header = parseHeader(message.toString('latin1'));
  const ack = ackOf(header, { code: 'AR', reason: 'too_large', id: newControlId() });
  return { ack: Buffer.from(write(ack), 'latin1'), ok: false, parts: 0 };
}
