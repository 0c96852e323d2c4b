// MLLP frames. A frame is VT, a message, FS and CR (HL7 Transport Specification MLLP, release 1).

const START = 0x0b;
const END = 0x1c;
const CR = 0x0d;

export type FrameProblem = 'frame_too_large' | 'not_mllp';

/**
 * Thrown if the peer breaks the rules of MLLP, or sends a frame that is too large. The connection must then be closed.
 */
export class FrameError extends Error {
  readonly code: FrameProblem;

  constructor(code: FrameProblem) {
    super(`the bytes are not an acceptable MLLP frame: ${code}`);
    this.name = 'FrameError';
    this.code = code;
  }
}

export const frame = (content: Buffer): Buffer => Buffer.concat([Buffer.of(START), content, Buffer.of(END, CR)]);

export type FrameReader = {
  /**
   * Adds received bytes, and returns the frames that are now complete. After it has thrown FrameError, the reader is
   * unusable.
   */
  push: (bytes: Buffer) => Buffer[];
  /** Returns whether a frame has begun and not ended yet. */
  isWithin: () => boolean;
};

/** Splits received bytes into frames. Skips line ends and blanks between frames. Anything else there is an error. */
export function openFrameReader(maxBytes: number): FrameReader {
  let chunks: Buffer[] = [];
  let size = 0;
  let within = false;
  /** True if the last byte was FS. The next one must be CR. */
  let ending = false;

  const add = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > maxBytes) throw new FrameError('frame_too_large');
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
