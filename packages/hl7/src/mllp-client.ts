// The side of a connection that sends messages and waits for the answer to each.
import type { Socket } from 'node:net';
import { MOST } from './message.ts';
import { frame, openFrameReader } from './mllp-frames.ts';
import { openUnsolicitedFrames } from './unsolicited-frames.ts';
import { writeFrame } from './write-frame.ts';

/** No answer came: the connection broke, or the peer was silent for too long. */
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
   * Sends one message and waits for its answer, the first frame of which `readAnswer` does not return null. One
   * message is under way at a time. Throws NotAnswered.
   */
  send: <Answer>(content: Buffer, readAnswer: (content: Buffer) => Answer | null) => Promise<Answer>;
  /** The last answer is recorded: other messages of the peer are taken until something is sent again. */
  release: () => void;
  isOpen: () => boolean;
  close: () => void;
};

/** Takes a message that answers nothing of ours, and returns what it is answered. */
export type Take = (content: Buffer) => Promise<Buffer[]>;

export type MllpClientOptions = {
  answerMs: number;
  /** Null where only answers are taken. */
  take: Take | null;
  /** `take` failed: the message is not answered. */
  onError: (error: unknown) => void;
};

/** Speaks MLLP on a socket that is connected. */
export function openMllpClient(socket: Socket, { answerMs, take, onError }: MllpClientOptions): MllpClient {
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
      for (const answer of await take(content)) await writeFrame(socket, answer);
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

  const send = <Answer>(content: Buffer, readAnswer: (content: Buffer) => Answer | null): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const fail = (code: NotAnswered['code']): void => {
        clearTimeout(timer);
        waiting = null;
        reject(new NotAnswered(code));
      };
      const timer = setTimeout(() => end('no_answer'), answerMs);
      unsolicited?.pause();
      if (broken !== null) return fail(broken);
      waiting = {
        fail,
        hear: (received) => {
          const answer = readAnswer(received);
          // A frame that answers another message is no answer, as one that came too late.
          if (answer === null) return false;
          clearTimeout(timer);
          waiting = null;
          resolve(answer);
          return true;
        },
      };
      socket.write(frame(content));
    });
  return { send, release: () => unsolicited?.resume(), isOpen: () => broken === null, close: () => end('closed') };
}
