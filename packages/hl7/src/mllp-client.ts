// The client of an MLLP connection. It sends messages and waits for the reply to each.
import type { Socket } from 'node:net';
import { MOST } from './message.ts';
import { frame, openFrameReader } from './mllp-frames.ts';
import { openUnsolicitedFrames } from './unsolicited-frames.ts';
import { writeFrame } from './write-frame.ts';

/**
 * Thrown if no reply came: the connection broke, the peer was silent for too long, or the peer broke the rules of MLLP.
 */
export class NotAnswered extends Error {
  readonly code: 'no_answer' | 'closed' | 'not_mllp' | 'too_many_frames';

  constructor(code: NotAnswered['code']) {
    super(`the message was not answered: ${code}`);
    this.name = 'NotAnswered';
    this.code = code;
  }
}

export type MllpClient = {
  /**
   * Sends one message and waits for its reply. The reply is the first frame for which `readResponse` does not return
   * null. Send no other message until then. Throws NotAnswered.
   */
  send: <Answer>(content: Buffer, readResponse: (content: Buffer) => Answer | null) => Promise<Answer>;
  /**
   * Call it after the last reply has been recorded. From then until the next `send`, messages that the peer sends by
   * itself are handled.
   */
  release: () => void;
  isOpen: () => boolean;
  close: () => void;
};

/** Handles a message that the peer sent by itself. Returns our replies. */
export type Take = (content: Buffer) => Promise<Buffer[]>;

export type MllpClientOptions = {
  responseMs: number;
  /** Null if messages that the peer sends by itself are to be ignored. */
  take: Take | null;
  /** Called when `take` fails. The peer then gets no reply to its message. */
  onError: (error: unknown) => void;
};

/** Opens an MLLP client on a connected socket. */
export function openMllpClient(socket: Socket, { responseMs, take, onError }: MllpClientOptions): MllpClient {
  let broken: NotAnswered['code'] | null = null;
  let waiting: { hear: (content: Buffer) => boolean; fail: (code: NotAnswered['code']) => void } | null = null;
  const end = (code: NotAnswered['code']): void => {
    broken ??= code;
    socket.destroy();
    waiting?.fail(code);
  };
  const unsolicited =
    take &&
    openUnsolicitedFrames(async (content) => {
      for (const response of await take(content)) await writeFrame(socket, response);
    }, onError);
  const reader = openFrameReader(MOST.bytes);
  socket.on('data', (bytes: Buffer) => {
    try {
      for (const content of reader.push(bytes))
        if (!waiting?.hear(content) && unsolicited?.add(content) === false) end('too_many_frames');
    } catch {
      end('not_mllp');
    }
  });
  socket.on('error', () => end('closed'));
  socket.on('close', () => end('closed'));

  const send = <Answer>(content: Buffer, readResponse: (content: Buffer) => Answer | null): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const fail = (code: NotAnswered['code']): void => {
        clearTimeout(timer);
        waiting = null;
        reject(new NotAnswered(code));
      };
      const timer = setTimeout(() => end('no_answer'), responseMs);
      unsolicited?.pause();
      if (broken !== null) return fail(broken);
      waiting = {
        fail,
        hear: (received) => {
          const response = readResponse(received);
          // The frame may be a late reply to an earlier message.
          if (response === null) return false;
          clearTimeout(timer);
          waiting = null;
          resolve(response);
          return true;
        },
      };
      socket.write(frame(content));
    });
  return { send, release: () => unsolicited?.resume(), isOpen: () => broken === null, close: () => end('closed') };
}
