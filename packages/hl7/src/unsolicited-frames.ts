import { MOST } from './message.ts';

/** Of one connection, beside the frame that is being taken. */
const MOST_FRAMES = 200;

type UnsolicitedFrames = {
  /** False where too much waits. */
  add: (content: Buffer) => boolean;
  /** Frames that come from now on wait. */
  pause: () => void;
  /** Frames that wait are taken, and those that come from now on are taken at once. */
  resume: () => void;
};

/**
 * Frames that a peer sends beside the answers that we wait for. They are taken one after the other. None is taken
 * while an answer is outstanding or being recorded: it may be about the message that is being answered.
 */
export function openUnsolicitedFrames(
  take: (content: Buffer) => Promise<void>,
  onError: (error: unknown) => void,
): UnsolicitedFrames {
  const frames: Buffer[] = [];
  let bytes = 0;
  let isPaused = false;
  let isTaking = false;

  async function takeAll(): Promise<void> {
    if (isTaking) return;
    isTaking = true;
    while (!isPaused && frames.length > 0) {
      const content = frames.shift() as Buffer;
      bytes -= content.length;
      try {
        await take(content);
      } catch (error) {
        // It is not answered: the peer sends it again.
        onError(error);
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
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      void takeAll();
    },
  };
}
