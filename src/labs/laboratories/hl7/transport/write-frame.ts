import type { Socket } from 'node:net';
import { frame } from './mllp-frames.ts';

/** Whoever sends messages reads what they are answered by then, or the connection is closed. */
const READ_MS = 60_000;

class NotRead extends Error {
  readonly code = 'answers_not_read';

  constructor() {
    super('the laboratory sends messages and does not read what they are answered');
  }
}

/**
 * Answers a message on a connection. It is over once the connection takes more, or is closed: whoever waits for it before the
 * next message is read holds one answer in memory, however many messages a laboratory sends without reading.
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
