import type { Socket } from 'node:net';
import { frame } from './mllp-frames.ts';

/** After this many milliseconds, we close the connection of a peer that does not read our replies. */
const READ_MS = 60_000;

class NotRead extends Error {
  readonly code = 'answers_not_read';

  constructor() {
    super('the peer sends messages and does not read the answers');
  }
}

/**
 * Writes a reply to a connection. The promise resolves when the connection takes more data or is closed. A peer may
 * send many messages and read no replies. A caller that waits has only one reply in memory then.
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
