import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/options.ts';
import type { Ctx } from '../../context.ts';
import { networksPolicy } from '../../outbound/address-policy.ts';
import { logCut } from './cut-answers.ts';
import { TransportError } from '../errors.ts';
import { networkOf } from './network-of.ts';
import type { UnreadAnswers } from './unread-answers.ts';

const LONGEST_HEADERS_MS = 10_000;
const MOST_HEADER_BYTES = 16_384;
/** A stream whose reader takes less than this in the time that a request may take is cut off. */
const LEAST_TAKEN_BYTES = 16_384;
/** Requests that wait on one connection: more than any client sends ahead. */
const MOST_PIPELINED = 100;

/** How long a request may take to arrive, and how long its head may be, in the words of Node's server. */
export function arrivalLimits({ requestTimeoutMs }: Config): { requestTimeout: number; http: object } {
  return {
    requestTimeout: requestTimeoutMs,
    http: {
      requireHostHeader: false,
      headersTimeout: Math.min(LONGEST_HEADERS_MS, requestTimeoutMs),
      // Node looks after its connections this often; its default of 30 s would let twice the time pass.
      connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
      // An address that is too long is told by its own status: the parser has room for it beside the headers.
      maxHeaderSize: 2 * MOST_HEADER_BYTES,
    },
  };
}

/** Throws headers_too_large; the parser itself has no limit of the headers alone. */
export function refuseLongHeaders({ rawHeaders }: IncomingMessage): void {
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length + 2;
  if (bytes > MOST_HEADER_BYTES) throw new TransportError('headers_too_large');
}

/** Caps connections, by address too, and requests sent ahead; counts what is not read, and cuts off who does not read the answer. */
export function limitConnections(app: FastifyInstance, { config, log }: Ctx, unread: UnreadAnswers): void {
  const { maxConnections, maxConnectionsPerAddress, requestTimeoutMs } = config;
  const open = new Map<string, number>();
  const proxies = networksPolicy(config.trustedProxies);
  const underWay = new WeakMap<Socket, number>();

  app.server.maxConnections = maxConnections;
  app.server.on('connection', (socket: Socket) => {
    // Asked for now, Node keeps it: of a connection that was reset the kernel tells none.
    const peer = socket.remoteAddress ?? '';
    if (maxConnectionsPerAddress === null || proxies.isAllowed(peer)) return;
    const address = networkOf(peer);
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const others = (open.get(address) ?? 1) - 1;
      if (others > 0) open.set(address, others);
      else open.delete(address);
    });
    if (count > maxConnectionsPerAddress) socket.destroy();
  });
  app.server.on('request', ({ socket }, response) => {
    const count = (underWay.get(socket) ?? 0) + 1;
    underWay.set(socket, count);
    if (count > MOST_PIPELINED) socket.destroy();
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const { socket } = request.raw;
    // Of a connection that was cut no close follows, and the timer would keep a stopping process alive.
    if (reply.raw.closed || socket.destroyed) return undefined;
    const bytes = unread.handOver(request, reply, payload, (underWay.get(socket) ?? 1) <= 1);
    const cut = (): void => {
      logCut(log, request, { reason: 'not_read_in_time' });
      socket.destroy();
    };
    const timer =
      payload instanceof Readable ? cutWhoStops(socket, requestTimeoutMs, cut) : setTimeout(cut, requestTimeoutMs);
    reply.raw.once('close', () => clearInterval(timer));
    return bytes;
  });
}

/** A stream may last, as long as what is written of it is taken. */
function cutWhoStops(socket: Socket, ms: number, cut: () => void): NodeJS.Timeout {
  const taken = (): number => socket.bytesWritten - socket.writableLength;
  let before = taken();
  return setInterval(() => {
    const now = taken();
    if (socket.writableLength > 0 && now - before < LEAST_TAKEN_BYTES) cut();
    before = now;
  }, ms);
}
