import type { Logger } from '../../../../log.ts';
import { MOST } from '../codec/message.ts';

/** Of one connection, beside the frame that is being taken. */
const MOST_FRAMES = 200;

type UnaskedFrames = {
  /** False where too much waits. */
  add: (content: Buffer) => boolean;
  /** What comes from now on waits. */
  hold: () => void;
  /** What waits is taken, and what comes from now on is taken at once. */
  release: () => void;
};

/**
 * Frames that a laboratory sends on a connection of ours beside the answers that are waited for. They are taken one after
 * the other, and none while an answer is waited for or written down: it may be about the message that is being answered.
 */
export function openUnaskedFrames(take: (content: Buffer) => Promise<void>, log: Logger): UnaskedFrames {
  const frames: Buffer[] = [];
  let bytes = 0;
  let isHeld = false;
  let isTaking = false;

  async function takeAll(): Promise<void> {
    if (isTaking) return;
    isTaking = true;
    while (!isHeld && frames.length > 0) {
      const content = frames.shift() as Buffer;
      bytes -= content.length;
      try {
        await take(content);
      } catch (err) {
        // It is not answered: the laboratory sends it again.
        log.error({ err }, 'a message that a laboratory sent on our connection was not taken');
      }
    }
    isTaking = false;
  }

  return {
    add(content) {
      if (frames.length >= MOST_FRAMES || bytes + content.length > MOST.bytes) return false;
      frames.push(content);
      bytes += content.length;
      void takeAll();
      return true;
    },
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      void takeAll();
    },
  };
}
