import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/options.ts';
import type { Ctx } from '../../context.ts';
import { networksPolicy } from '../../outbound/address-policy.ts';
import { logCut } from './cut-responses.ts';
import { TransportError } from '../error-response.ts';
import { networkOf } from './network-of.ts';
import type { UnreadResponses } from './unread-responses.ts';

const LONGEST_HEADERS_MS = 10_000;
const MAX_HEADER_BYTES = 16_384;
/** We cut a stream if its client reads fewer bytes than this within the request timeout. */
const MIN_TAKEN_BYTES = 16_384;
/**
 * The most unanswered requests on one connection. A client may send several before it reads the first response
 * (pipelining), but no client that we know sends as many.
 */
const MAX_PIPELINED = 100;

/**
 * Returns options of Node's server that limit how long a request may take to arrive and how long its headers may be.
 */
export function arrivalLimits({ requestTimeoutMs }: Config): { requestTimeout: number; http: object } {
  return {
    requestTimeout: requestTimeoutMs,
    http: {
      requireHostHeader: false,
      headersTimeout: Math.min(LONGEST_HEADERS_MS, requestTimeoutMs),
      // Node checks at this interval whether a request arrives too slowly. With its default of 30 s, a request could
      // take much longer than the limit.
      connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
      // Node applies this limit to the request line and the headers together. A URL that is too long has an HTTP status
      // of its own. So we let the parser accept both, and check each later.
      maxHeaderSize: 2 * MAX_HEADER_BYTES,
    },
  };
}

/**
 * Throws headers_too_large if the headers have more than 16 KiB. Node's parser limits only the request line and the
 * headers together, so we count the headers here.
 */
export function refuseLongHeaders({ rawHeaders }: IncomingMessage): void {
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length + 2;
  if (bytes > MAX_HEADER_BYTES) throw new TransportError('headers_too_large');
}

/**
 * The most event listeners of a response. If an object has more than 10 listeners, Node prints a warning outside of our
 * log. A streamed, compressed response has about six listeners from Fastify and Node, plus those of our limits. So we
 * raise the limit.
 */
const MAX_LISTENERS = 20;

/**
 * Limits the connections in total and by network, and the pipelined requests of a connection. Counts the unread bytes
 * of responses, and cuts the connection of a client that does not read its responses.
 */
export function limitConnections(app: FastifyInstance, { config, log }: Ctx, unread: UnreadResponses): void {
  const { maxConnections, maxConnectionsPerAddress, requestTimeoutMs } = config;
  const open = new Map<string, number>();
  const proxies = networksPolicy(config.trustedProxies);
  const underWay = new WeakMap<Socket, number>();

  app.server.maxConnections = maxConnections;
  app.server.on('connection', (socket: Socket) => {
    // We read the address now, and Node caches it. The kernel does not return the address any more after the client has
    // reset the connection.
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
    if (count > MAX_PIPELINED) socket.destroy();
    response.setMaxListeners(MAX_LISTENERS);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const { socket } = request.raw;
    // If the connection is already cut, `close` does not come again. The timer would then keep a stopping process
    // alive.
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

/** Cuts a stream if its client stops reading. A stream may take as long as it needs while its client reads. */
function cutWhoStops(socket: Socket, ms: number, cut: () => void): NodeJS.Timeout {
  const taken = (): number => socket.bytesWritten - socket.writableLength;
  let before = taken();
  return setInterval(() => {
    const now = taken();
    if (socket.writableLength > 0 && now - before < MIN_TAKEN_BYTES) cut();
    before = now;
  }, ms);
}
