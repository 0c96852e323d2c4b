// A frame has a type, a channel, a size, a payload and an end octet (AMQP 0-9-1, 2.3.5).

export type Frame = { type: number; channel: number; payload: Buffer };

export const METHOD = 1;
export const HEADER = 2;
export const BODY = 3;
export const HEARTBEAT = 8;

const HEAD_BYTES = 7;
/** The bytes of a frame without its payload. */
export const FRAME_BYTES = HEAD_BYTES + 1;
const END = 0xce;

/** The peer sent something that is not AMQP, or more than was agreed. */
export class NotAmqp extends Error {}

/**
 * Returns a function that takes chunks of bytes and calls `hear` for every frame in them. The returned function throws
 * NotAmqp if a payload has more than `most` bytes or if a frame has no end octet.
 */
export function frameReader(most: number, hear: (frame: Frame) => void): (chunk: Buffer) => void {
  let buffered: Buffer = Buffer.alloc(0);
  return (chunk) => {
    buffered = buffered.length === 0 ? Buffer.from(chunk) : Buffer.concat([buffered, chunk]);
    let at = 0;
    while (buffered.length - at >= HEAD_BYTES) {
      const size = buffered.readUInt32BE(at + 3);
      if (size > most) throw new NotAmqp('a frame is larger than agreed');
      if (buffered.length - at < size + FRAME_BYTES) break;
      const end = at + HEAD_BYTES + size;
      if (buffered[end] !== END) throw new NotAmqp('a frame has no end octet');
      hear({
        type: buffered.readUInt8(at),
        channel: buffered.readUInt16BE(at + 1),
        payload: buffered.subarray(at + HEAD_BYTES, end),
      });
      at = end + 1;
    }
    buffered = buffered.subarray(at);
  };
}

export function frame(type: number, channel: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(type, 0);
  head.writeUInt16BE(channel, 1);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.of(END)]);
}
