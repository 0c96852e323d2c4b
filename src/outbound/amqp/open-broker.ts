import type { Owner } from '../../fair/round-robin.ts';
import type { AddressPolicy } from '../address-policy.ts';
import { openSocket } from '../open-socket.ts';
import { openConfirms, type Confirms } from './confirms.ts';
import { BODY, FRAME_BYTES, frame } from './frames.ts';
import { BrokerFailed, codeOf, FRAME_MAX, GIVEN_UP, Line, NOT_AMQP, type Patience } from './broker-line.ts';
import * as say from './methods.ts';

const { BROKER_METHODS } = say;

export type BrokerAddress = {
  tls: boolean;
  host: string;
  port: number;
  username: string;
  password: string;
  vhost: string;
};

export type Message = say.Properties & { exchange: string; routingKey: string; body: Buffer };

/** A connection to a broker with one channel, on which the broker confirms the messages that it has accepted. */
export type Broker = {
  /**
   * Publishes messages. Resolves when the broker has confirmed all of them. Throws BrokerFailed on an error, or if
   * `signal` aborts before the last confirm. Then the broker may have accepted some of the messages.
   */
  publish: (messages: Message[], signal: AbortSignal) => Promise<void>;
  /**
   * A signal that aborts when the broker sends something that is not AMQP, or more bytes than it may. Its reason is the
   * BrokerFailed.
   */
  broken: AbortSignal;
  close: () => void;
};

export type BrokerOptions = BrokerAddress & {
  policy: AddressPolicy;
  /** The owner whose share of DNS look-ups this connection uses. */
  share: Owner;
  /**
   * The time limit. It applies separately to opening the connection, to the handshake before the first message, and to
   * the confirms of each `publish`.
   */
  timeoutMs: number;
  /** Aborts opening the connection and the handshake. After the handshake it has no effect. */
  signal: AbortSignal;
  /** Trusted certificates in PEM. They replace Node's own list. */
  ca?: string;
};

/** The smallest frame-max that the protocol allows a broker to offer. */
const MIN_FRAME_MAX = 4_096;
const HEARTBEAT_SECONDS = 20;

/**
 * Connects through the vetting connector, which checks the address, then logs in and turns publisher confirms on.
 * Throws BrokerFailed.
 */
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

/** Makes the handshake before the first message, in the order that the protocol requires. */
async function greet(line: Line, options: BrokerAddress): Promise<{ frameMax: number; confirms: Confirms }> {
  line.write(say.PROTOCOL);
  await line.hear(BROKER_METHODS.start);
  line.write(say.startOk(options));
  const offered = say.readTune(await line.hear(BROKER_METHODS.tune));
  const frameMax = Math.min(FRAME_MAX, offered.frameMax || FRAME_MAX);
  if (frameMax < MIN_FRAME_MAX) throw new BrokerFailed(NOT_AMQP);
  const heartbeat = Math.min(HEARTBEAT_SECONDS, offered.heartbeat || HEARTBEAT_SECONDS);
  line.write(say.tuneOk({ frameMax, heartbeat }));
  line.beat(heartbeat);
  line.write(say.openVhost(options.vhost));
  await line.hear(BROKER_METHODS.opened);
  line.write(say.openChannel());
  await line.hear(BROKER_METHODS.channelOpened);
  line.write(say.selectConfirms());
  await line.hear(BROKER_METHODS.confirming);
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
    // The broker confirms the first messages while we still write others. So we wait for the confirms and the writing
    // at the same time.
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
