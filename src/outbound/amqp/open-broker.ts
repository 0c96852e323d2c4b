import type { Owner } from '../../fair/round-robin.ts';
import type { AddressPolicy } from '../address-policy.ts';
import { openSocket } from '../open-socket.ts';
import { openConfirms, type Confirms } from './confirms.ts';
import { BODY, FRAME_BYTES, frame } from './frames.ts';
import { BrokerFailed, codeOf, FRAME_MAX, GIVEN_UP, Line, NOT_AMQP, type Patience } from './line.ts';
import * as say from './methods.ts';

const { HEARD } = say;

export type BrokerAddress = {
  tls: boolean;
  host: string;
  port: number;
  username: string;
  password: string;
  vhost: string;
};

export type Message = say.Properties & { exchange: string; routingKey: string; body: Buffer };

/** A connection with one channel, on which the broker confirms what it has taken. */
export type Broker = {
  /**
   * Resolves once the broker is responsible for all of them. Throws BrokerFailed, also where `signal` is aborted first: then any of
   * them may have been taken.
   */
  publish: (messages: Message[], signal: AbortSignal) => Promise<void>;
  /** Aborted, with the BrokerFailed, once it has said what is no AMQP, or more than it had to. */
  broken: AbortSignal;
  close: () => void;
};

export type BrokerOptions = BrokerAddress & {
  policy: AddressPolicy;
  /** Whose share of look-ups it takes. */
  share: Owner;
  /** For the connection; again for what comes before the first message; and for the confirms of what is published at once. */
  timeoutMs: number;
  /** Once it is aborted the connection is given up at once, up to the first message. */
  signal: AbortSignal;
  /** Trusted certificates in PEM, in place of Node's own list. */
  ca?: string;
};

/** The fewest bytes of a frame that the protocol lets a broker offer. */
const LEAST_FRAME_MAX = 4_096;
const HEARTBEAT_SECONDS = 20;

/** Connects by the vetting of all connections that go out, logs in and asks for confirms. Throws BrokerFailed. */
export async function openBroker(options: BrokerOptions): Promise<Broker> {
  const { host, port, policy, share, timeoutMs, signal, tls, ca } = options;
  const target = { host, port, policy, share, timeoutMs, signal };
  const socket = await openSocket({ ...target, tls: tls ? (ca === undefined ? {} : { ca }) : null }).catch(
    (error: unknown) => {
      throw new BrokerFailed(signal.aborted ? GIVEN_UP : codeOf(error));
    },
  );
  const line = new Line(socket);
  try {
    const { frameMax, confirms } = await line.within(options, () => greet(line, options));
    return {
      publish: (messages, until) => {
        const frames = framesOfAll(messages, frameMax);
        return publishAll(line, confirms, { frames, many: messages.length, patience: { timeoutMs, signal: until } });
      },
      broken: line.broken,
      close: () => line.close(),
    };
  } catch (error) {
    line.fail('closed');
    throw error instanceof BrokerFailed ? error : new BrokerFailed(codeOf(error));
  }
}

/** What comes before the first message, in the order of the protocol. */
async function greet(line: Line, options: BrokerAddress): Promise<{ frameMax: number; confirms: Confirms }> {
  line.write(say.PROTOCOL);
  await line.hear(HEARD.start);
  line.write(say.startOk(options));
  const offered = say.readTune(await line.hear(HEARD.tune));
  const frameMax = Math.min(FRAME_MAX, offered.frameMax || FRAME_MAX);
  if (frameMax < LEAST_FRAME_MAX) throw new BrokerFailed(NOT_AMQP);
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

const publishAll = (
  line: Line,
  confirms: Confirms,
  { frames, many, patience }: { frames: Iterable<Buffer>; many: number; patience: Patience },
): Promise<void> =>
  line.within(patience, async () => {
    // Awaited from the beginning: the first ones are confirmed while others are still on their way.
    await Promise.all([confirms.expect(many), line.publish(many, frames)]);
  });

function* framesOfAll(messages: Message[], frameMax: number): Generator<Buffer> {
  const most = frameMax - FRAME_BYTES;
  for (const { exchange, routingKey, body, ...properties } of messages) {
    yield say.publish(exchange, routingKey);
    yield say.contentHeader(body.length, properties);
    for (let at = 0; at < body.length; at += most) yield frame(BODY, 1, body.subarray(at, at + most));
  }
}
