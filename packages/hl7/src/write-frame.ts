import type { Socket } from 'node:net';
import { frame } from './mllp-frames.ts';

/** A peer that does not read its answers for so long has its connection closed. */
const READ_MS = 60_000;

class NotRead extends Error {
  readonly code = 'answers_not_read';

  constructor() {
    super('the peer sends messages and does not read the answers');
  }
}

/**
 * Answers a message on a connection. Resolves once the connection takes more, or is closed: a caller that waits for it
 * before the next message has one answer in memory, however many messages a peer sends without reading.
 */
export function writeFrame(socket: Socket, content: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(frame(content))) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      socket.off('drain', end).off('close', end);
      resolve();
    };
    const timer = setTimeout(() => socket.destroy(new NotRead()), READ_MS);
    socket.once('drain', end).once('close', end);
  });
}
