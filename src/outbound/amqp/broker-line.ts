import type { Socket } from 'node:net';
import { openAllowance } from './allowance.ts';
import type { Confirms } from './confirms.ts';
import { frame, frameReader, HEARTBEAT, METHOD, NotAmqp, type Frame } from './frames.ts';
import * as say from './methods.ts';

const { BROKER_METHODS } = say;

/** The largest frame size that we offer to the broker, in bytes. */
export const FRAME_MAX = 131_072;
/**
 * The largest payload that we accept, in bytes. Methods that a broker sends to a publisher are small. Until the two
 * sides agree on a frame size (the tuning), AMQP allows frames of 4 KiB, which is less.
 */
const LONGEST_HEARD = 8_192;
/** How long the peer may take to close the connection. After this time we destroy the socket. */
const CLOSE_MS = 2_000;

/**
 * The broker did not accept the messages. `code` is a code of the operating system, one of our own codes, or `amqp_`
 * and the reply code of AMQP. It never contains the broker's text, which may quote personal data or secrets.
 */
export class BrokerFailed extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.name = 'BrokerFailed';
    this.code = code;
  }
}

/** How long a caller waits: at most `timeoutMs`, and only until the signal is aborted. */
export type Patience = { timeoutMs: number; signal: AbortSignal };

/** The code of an operation that ended because the caller's signal was aborted. */
export const GIVEN_UP = 'given_up';
export const NOT_AMQP = 'not_amqp';

/** One AMQP connection. If the connection fails, every operation that waits for it fails too. */
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
    const read = frameReader(LONGEST_HEARD, (each) => this.#receiveFrame(each));
    socket.on('data', (chunk: Buffer) => {
      this.#heardAt = performance.now();
      try {
        // We check the size before parsing, because one chunk may contain thousands of frames.
        if (!this.#allowance.spend(chunk.length)) throw new NotAmqp('the broker sent more bytes than it may');
        read(chunk);
      } catch (error) {
        this.fail(codeOf(error));
        // If we have already sent connection.close, `fail` does nothing. Then only this line stops a broker that
        // continues to send.
        socket.destroy();
      }
    });
    socket.on('drain', () => this.#draining?.resolve());
    socket.on('error', (error) => this.fail(codeOf(error)));
    socket.on('close', () => this.fail('closed'));
  }

  /** A signal that aborts when the broker sends something that is not AMQP, or more bytes than it may. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /**
   * Runs `work`, which waits for the broker. The connection fails if the time is over or the caller's signal is
   * aborted.
   */
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

  /**
   * Writes frames as fast as the peer reads them. While the buffer of the socket is full, it waits before it takes the
   * next frame from `frames`.
   */
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

  /** Waits for the next method with this name. Resolves with its arguments. */
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

  /**
   * Sends two heartbeats in each period of `seconds`. The connection fails if the broker has sent nothing for two
   * periods.
   */
  beat(seconds: number): void {
    // We do not use the time-out of the socket, because each of our own writes would restart it.
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

  #receiveFrame({ type, payload }: Frame): void {
    if (type !== METHOD || this.#failed) return;
    const { name, values } = say.readMethod(payload);
    if (name === BROKER_METHODS.ack || name === BROKER_METHODS.nack) {
      const confirm = say.readConfirm(values);
      if (name === BROKER_METHODS.nack) return this.fail('nacked');
      return this.#confirms?.hear(confirm);
    }
    if (name === BROKER_METHODS.closing || name === BROKER_METHODS.channelClosing) {
      if (name === BROKER_METHODS.closing) this.#socket.write(say.closeConnectionOk());
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
