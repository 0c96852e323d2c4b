// MLLP: a message stands between VT and FS CR (HL7 Transport Specification MLLP, release 1).

const START = 0x0b;
const END = 0x1c;
const CR = 0x0d;

export type FrameProblem = 'frame_too_large' | 'not_mllp';

/** The peer does not speak MLLP, or sends more than is taken: its connection has to be closed. */
export class FrameError extends Error {
  readonly code: FrameProblem;

  constructor(code: FrameProblem) {
    super(`the bytes are no MLLP frame that is taken: ${code}`);
    this.name = 'FrameError';
    this.code = code;
  }
}

export const frame = (content: Buffer): Buffer => Buffer.concat([Buffer.of(START), content, Buffer.of(END, CR)]);

export type FrameReader = {
  /** The frames that are whole with these bytes. Throws FrameError, after which the reader is of no use. */
  push: (bytes: Buffer) => Buffer[];
  /** Whether a frame has begun and not ended. */
  isWithin: () => boolean;
};

/** Cuts what arrives into frames. Between frames only line ends and blanks are passed over. */
export function openFrameReader(mostBytes: number): FrameReader {
  let chunks: Buffer[] = [];
  let size = 0;
  let within = false;
  /** The last byte was FS: the next must be CR. */
  let ending = false;

  const add = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > mostBytes) throw new FrameError('frame_too_large');
    if (chunk.length > 0) chunks.push(chunk);
  };

  function push(bytes: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (ending) {
        if (bytes[at] !== CR) throw new FrameError('not_mllp');
        frames.push(Buffer.concat(chunks));
        [chunks, size, within, ending] = [[], 0, false, false];
        at += 1;
      } else if (within) {
        const end = bytes.indexOf(END, at);
        const upTo = end === -1 ? bytes.length : end;
        const chunk = bytes.subarray(at, upTo);
        if (chunk.includes(START)) throw new FrameError('not_mllp');
        add(chunk);
        ending = end !== -1;
        at = upTo + 1;
      } else {
        const byte = bytes[at] as number;
        if (byte === START) within = true;
        else if (byte !== CR && byte !== 0x0a && byte !== 0x20) throw new FrameError('not_mllp');
        at += 1;
      }
    }
    return frames;
  }

  return { push, isWithin: () => within };
}
