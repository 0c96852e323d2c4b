import { MOST } from './message.ts';

/** The most frames of one connection that may wait, without the one that is being handled. */
const MAX_FRAMES = 200;

type UnsolicitedFrames = {
  /** Adds a frame. Returns false if too many frames or bytes wait. */
  add: (content: Buffer) => boolean;
  /** Makes frames wait from now on. */
  pause: () => void;
  /** Handles the waiting frames, and from now on each frame at once. */
  resume: () => void;
};

/**
 * Makes a queue for frames that a peer sends by itself, and handles one after the other. While we wait for the reply to
 * a message, and until the caller has recorded the reply, no frame is handled. It may be about the same message.
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
        // The peer gets no reply, and so sends the message again.
        onError(error);
      }
    }
    isTaking = false;
  }

  return {
    add(content) {
      if (frames.length >= MAX_FRAMES || bytes + content.length > MOST.bytes) return false;
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
