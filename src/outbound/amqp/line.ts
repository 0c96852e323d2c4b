import type { Socket } from 'node:net';
import { openAllowance } from './allowance.ts';
import type { Confirms } from './confirms.ts';
import { frame, frameReader, HEARTBEAT, METHOD, NotAmqp, type Frame } from './frames.ts';
import * as say from './methods.ts';

const { HEARD } = say;

/** Bytes of a frame that we offer. */
export const FRAME_MAX = 131_072;
/** Of a frame that we hear: the methods that a publisher is told are small, and before anything is agreed 4 KiB is all that is allowed. */
const LONGEST_HEARD = 8_192;
/** A peer that does not hang up has a moment for it, and no more for talking on. */
const CLOSE_MS = 2_000;

/**
 * Why a broker took nothing: a code of the system or of ours, or `amqp_` and the protocol's number. Nothing of what the broker
 * said, which may quote anything.
 */
export class BrokerFailed extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.name = 'BrokerFailed';
    this.code = code;
  }
}

/** How long somebody waits: so many milliseconds, and no longer than the signal allows. */
export type Patience = { timeoutMs: number; signal: AbortSignal };

/** The code of what was ended by the signal of who waited. */
export const GIVEN_UP = 'given_up';
export const NOT_AMQP = 'not_amqp';

/** What is said and heard on one connection. Once it has failed, all that waits fails with it. */
export class Line {
  readonly #socket: Socket;
  readonly #allowance = openAllowance();
  readonly #broken = new AbortController();
  #failed: BrokerFailed | null = null;
  #waiting: { name: string; resolve: (values: Buffer) => void; reject: (error: BrokerFailed) => void } | null = null;
  #confirms: Confirms | null = null;
  #draining: { resolve: () => void; reject: (error: BrokerFailed) => void } | null = null;
  #beats: NodeJS.Timeout | undefined;
  #heardAt = performance.now();

  constructor(socket: Socket) {
    this.#socket = socket;
    const read = frameReader(LONGEST_HEARD, (each) => this.#hear(each));
    socket.on('data', (piece: Buffer) => {
      this.#heardAt = performance.now();
      try {
        // Before anything is made of it: a piece may hold thousands of frames.
        if (!this.#allowance.spend(piece.length)) throw new NotAmqp('more is said than there is to say');
        read(piece);
      } catch (error) {
        this.fail(codeOf(error));
        // Also where we have said goodbye, and it talks on instead of hanging up.
        socket.destroy();
      }
    });
    socket.on('drain', () => this.#draining?.resolve());
    socket.on('error', (error) => this.fail(codeOf(error)));
    socket.on('close', () => this.fail('closed'));
  }

  /** Aborted, with why, once the broker has said what is no AMQP, or more than it had to. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** Runs what waits for the broker: the line fails where that takes longer, or nobody waits for it any more. */
  async within<T>({ timeoutMs, signal }: Patience, work: () => Promise<T>): Promise<T> {
    const giveUp = (): void => this.fail(GIVEN_UP);
    const timer = setTimeout(() => this.fail('timeout'), timeoutMs);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Writes frames as fast as they are taken: while the socket has enough of them no other is made. */
  async publish(messages: number, frames: Iterable<Buffer>): Promise<void> {
    this.#allowance.published(messages);
    for (const each of frames) {
      if (this.#failed) throw this.#failed;
      if (this.#socket.write(each)) continue;
      await new Promise<void>((resolve, reject) => {
        this.#draining = { resolve, reject };
      });
    }
  }

  write(bytes: Buffer): void {
    if (this.#failed) throw this.#failed;
    this.#socket.write(bytes);
  }

  /** The values of the method that comes next; any other ends the connection. */
  hear(name: string): Promise<Buffer> {
    if (this.#failed) return Promise.reject(this.#failed);
    return new Promise((resolve, reject) => {
      this.#waiting = { name, resolve, reject };
    });
  }

  confirmBy(confirms: Confirms): void {
    this.#confirms = confirms;
    if (this.#failed) confirms.fail(this.#failed);
  }

  /** Says that we live twice in each period, and ends it where nothing was heard for two. */
  beat(seconds: number): void {
    // A time-out of the socket would begin anew with what we write.
    this.#beats = setInterval(() => {
      if (performance.now() - this.#heardAt > seconds * 2_000) return this.fail('ETIMEDOUT');
      this.#socket.write(frame(HEARTBEAT, 0, Buffer.alloc(0)));
    }, seconds * 500);
    this.#beats.unref();
  }

  close(): void {
    if (!this.#failed) this.#socket.write(say.closeConnection());
    this.fail('closed', () => this.#socket.end());
  }

  fail(code: string, end = (): unknown => this.#socket.destroy()): void {
    if (this.#failed) return;
    this.#failed = new BrokerFailed(code);
    if (code === NOT_AMQP) this.#broken.abort(this.#failed);
    clearInterval(this.#beats);
    this.#waiting?.reject(this.#failed);
    this.#confirms?.fail(this.#failed);
    this.#draining?.reject(this.#failed);
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_MS);
    this.#socket.once('close', () => clearTimeout(timer));
    end();
  }

  #hear({ type, payload }: Frame): void {
    if (type !== METHOD || this.#failed) return;
    const { name, values } = say.readMethod(payload);
    if (name === HEARD.ack || name === HEARD.nack) {
      const confirm = say.readConfirm(values);
      if (name === HEARD.nack) return this.fail('nacked');
      return this.#confirms?.hear(confirm);
    }
    if (name === HEARD.closing || name === HEARD.channelClosing) {
      if (name === HEARD.closing) this.#socket.write(say.closeConnectionOk());
      return this.fail(`amqp_${say.readReason(values)}`);
    }
    const waiting = this.#waiting;
    if (waiting?.name !== name) return;
    this.#waiting = null;
    waiting.resolve(values);
  }
}

export function codeOf(error: unknown): string {
  if (error instanceof NotAmqp) return NOT_AMQP;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : 'broken';
}
