// AMQP 0-9-1, 2.3.5: a frame is a type, a channel, a size, what it carries, and an end.

export type Frame = { type: number; channel: number; payload: Buffer };

export const METHOD = 1;
export const HEADER = 2;
export const BODY = 3;
export const HEARTBEAT = 8;

const HEAD_BYTES = 7;
/** Around what a frame carries. */
export const FRAME_BYTES = HEAD_BYTES + 1;
const END = 0xce;

/** What was said is no AMQP, or more than was agreed. */
export class NotAmqp extends Error {}

/** Frames out of what arrives in pieces, one after the other; one that carries more than `most` bytes, or does not end, throws NotAmqp. */
export function frameReader(most: number, hear: (frame: Frame) => void): (piece: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0);
  return (piece) => {
    kept = kept.length === 0 ? Buffer.from(piece) : Buffer.concat([kept, piece]);
    let at = 0;
    while (kept.length - at >= HEAD_BYTES) {
      const size = kept.readUInt32BE(at + 3);
      if (size > most) throw new NotAmqp('a frame is larger than was agreed');
      if (kept.length - at < size + FRAME_BYTES) break;
      const end = at + HEAD_BYTES + size;
      if (kept[end] !== END) throw new NotAmqp('a frame does not end');
      hear({
        type: kept.readUInt8(at),
        channel: kept.readUInt16BE(at + 1),
        payload: kept.subarray(at + HEAD_BYTES, end),
      });
      at = end + 1;
    }
    kept = kept.subarray(at);
  };
}

export function frame(type: number, channel: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(type, 0);
  head.writeUInt16BE(channel, 1);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.of(END)]);
}
