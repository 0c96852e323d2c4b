import { MOST } from './message.ts';

/** The most frames of one connection that may wait. The frame that is being handled is not included. */
const MOST_FRAMES = 200;

type UnsolicitedFrames = {
  /** Adds a frame. Returns false if too many frames or bytes wait. */
  add: (content: Buffer) => boolean;
  /** After this call, frames wait. */
  pause: () => void;
  /** Handles the waiting frames. After this call, frames are handled at once. */
  resume: () => void;
};

/**
 * Queues those frames of a peer that are not the reply to our message, and handles them one after the other. While we
 * wait for a reply or the caller records it, no frame is handled, because the frame may be about the same message.
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
        // The peer gets no reply, so it will send the message again.
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
