import type { Socket } from 'node:net';
import type { AddressPolicy } from '../address-policy.ts';
import { openSocket } from '../open-socket.ts';
import { BODY, FRAME_BYTES, frame, frameReader, HEARTBEAT, METHOD, NotAmqp, type Frame } from './frames.ts';
import * as say from './methods.ts';
import { openConfirms, type Confirms } from './confirms.ts';

const { HEARD } = say;

export type BrokerAddress = {
  tls: boolean;
  host: string;
  port: number;
  username: string;
  password: string;
  vhost: string;
};

type Message = say.Properties & { exchange: string; routingKey: string; body: Buffer };

/** A connection with one channel, on which the broker confirms what it has taken. */
export type Broker = {
  /** Resolves once the broker is responsible for all of them. Throws BrokerFailed: then any of them may have been taken. */
  publish: (messages: Message[]) => Promise<void>;
  close: () => void;
};

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

export type BrokerOptions = BrokerAddress & {
  policy: AddressPolicy;
  /** Whose share of look-ups it takes. */
  share: string;
  /** For the connection; again for what comes before the first message; and for the confirms of what is published at once. */
  timeoutMs: number;
  /** Trusted certificates in PEM, in place of Node's own list. */
  ca?: string;
};

/** Bytes of a frame that we offer, and the fewest that the protocol lets a broker offer. */
const FRAME_MAX = 131_072;
const LEAST_FRAME_MAX = 4_096;
const HEARTBEAT_SECONDS = 20;

/** Connects by the vetting of all connections that go out, logs in and asks for confirms. Throws BrokerFailed. */
export async function openBroker(options: BrokerOptions): Promise<Broker> {
  const { host, port, policy, share, timeoutMs, tls, ca } = options;
  const target = { host, port, policy, share, timeoutMs };
  const socket = await openSocket({ ...target, tls: tls ? (ca === undefined ? {} : { ca }) : null }).catch(
    (error: unknown) => {
      throw new BrokerFailed(codeOf(error));
    },
  );
  const line = new Line(socket);
  const timer = setTimeout(() => line.fail('timeout'), timeoutMs);
  try {
    const { frameMax, confirms } = await greet(line, options);
    return {
      publish: (messages) => publishAll(line, confirms, { messages, frameMax, timeoutMs }),
      close: () => line.close(),
    };
  } catch (error) {
    line.fail('closed');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** What comes before the first message, in the order of the protocol. */
async function greet(line: Line, options: BrokerAddress): Promise<{ frameMax: number; confirms: Confirms }> {
  line.write(say.PROTOCOL);
  await line.hear(HEARD.start);
  line.write(say.startOk(options));
  const offered = say.readTune(await line.hear(HEARD.tune));
  const frameMax = Math.min(FRAME_MAX, offered.frameMax || FRAME_MAX);
  if (frameMax < LEAST_FRAME_MAX) throw new BrokerFailed('not_amqp');
  const heartbeat = Math.min(HEARTBEAT_SECONDS, offered.heartbeat || HEARTBEAT_SECONDS);
  line.write(say.tuneOk({ frameMax, heartbeat }));
  line.beat(heartbeat);
  line.write(say.openVhost(options.vhost));
  await line.hear(HEARD.opened);
  line.write(say.openChannel());
  await line.hear(HEARD.channelOpened);
  line.write(say.selectConfirms());
  await line.hear(HEARD.confirming);
  const confirms = openConfirms();
  line.confirmBy(confirms);
  return { frameMax, confirms };
}

async function publishAll(
  line: Line,
  confirms: Confirms,
  { messages, frameMax, timeoutMs }: { messages: Message[]; frameMax: number; timeoutMs: number },
): Promise<void> {
  const timer = setTimeout(() => line.fail('timeout'), timeoutMs);
  try {
    line.write(Buffer.concat(messages.flatMap((message) => framesOf(message, frameMax))));
    // Nothing is heard before this turn ends, and of a line that has failed nothing is awaited.
    await confirms.expect(messages.length);
  } finally {
    clearTimeout(timer);
  }
}

function framesOf({ exchange, routingKey, body, ...properties }: Message, frameMax: number): Buffer[] {
  const most = frameMax - FRAME_BYTES;
  const pieces = Array.from({ length: Math.ceil(body.length / most) }, (_, n) =>
    frame(BODY, 1, body.subarray(n * most, (n + 1) * most)),
  );
  return [say.publish(exchange, routingKey), say.contentHeader(body.length, properties), ...pieces];
}

/** What is said and heard on one connection. Once it has failed, all that waits fails with it. */
class Line {
  readonly #socket: Socket;
  #failed: BrokerFailed | null = null;
  #waiting: { name: string; resolve: (values: Buffer) => void; reject: (error: BrokerFailed) => void } | null = null;
  #confirms: Confirms | null = null;
  #beats: NodeJS.Timeout | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    const read = frameReader(FRAME_MAX);
    socket.on('data', (piece: Buffer) => {
      try {
        for (const each of read(piece)) this.#hear(each);
      } catch (error) {
        this.fail(codeOf(error));
      }
    });
    socket.on('error', (error) => this.fail(codeOf(error)));
    socket.on('close', () => this.fail('closed'));
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
    this.#socket.setTimeout(seconds * 2_000, () => this.fail('ETIMEDOUT'));
    this.#beats = setInterval(() => this.#socket.write(frame(HEARTBEAT, 0, Buffer.alloc(0))), seconds * 500);
    this.#beats.unref();
  }

  close(): void {
    if (!this.#failed) this.#socket.write(say.closeConnection());
    this.fail('closed', () => this.#socket.end());
  }

  fail(code: string, end = (): unknown => this.#socket.destroy()): void {
    if (this.#failed) return;
    this.#failed = new BrokerFailed(code);
    clearInterval(this.#beats);
    this.#waiting?.reject(this.#failed);
    this.#confirms?.fail(this.#failed);
    // A peer that does not hang up has a moment for it.
    this.#socket.setTimeout(CLOSE_MS, () => this.#socket.destroy());
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

const CLOSE_MS = 2_000;

function codeOf(error: unknown): string {
  if (error instanceof NotAmqp) return error.code;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : 'broken';
}
