import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { TransientMap } from '../../transient-map.ts';
import { networkOf } from './network-of.ts';

const MEBIBYTE = 1024 * 1024;
/** The most unread bytes of one process. */
const MAX_BYTES = 128 * MEBIBYTE;
const MAX_BYTES_OF_AN_ORG = MAX_BYTES / 4;
/** The most unread bytes of a team, of an organisation's management keys, or of a network. */
const MAX_BYTES_OF_ONE = MAX_BYTES / 8;
/**
 * A response up to this size is not counted if it is the only one on its connection. Every client reads so few bytes at
 * once, and we limit the number of connections.
 */
const MAX_UNCOUNTED = 16 * 1024;
/**
 * The bytes that we count for each stream, whatever its size. A stream buffers at most the chunk that it wrote, the
 * next chunk, and the compression window.
 */
const BYTES_OF_A_STREAM = 512 * 1024;

type Share = { id: string; most: number };

/**
 * Counts the bytes of responses that are ready but that clients have not read yet. A request returns its permit when
 * its response is ready, so permits do not limit these bytes. We store the responses as buffers outside of the heap.
 */
export class UnreadResponses {
  readonly #bytesByShare = new TransientMap<string, number>();
  readonly #pipelined = new WeakMap<Socket, Set<() => void>>();
  #all = 0;

  get bytes(): number {
    return this.#all;
  }

  /**
   * Throws not_ready if the owner of the key has too many unread bytes. Call this when the request has its permit,
   * before its work begins, because other responses may have become unread while the request waited.
   */
  refuseWithoutReader(request: FastifyRequest): void {
    if (this.#all < MAX_BYTES_OF_ONE || !isOfTenant(request)) return;
    if (this.#isUsedUp(sharesOf(request))) throw tooMuchUnread();
  }

  /**
   * Counts the bytes of a response until it is sent. Returns a buffer to send instead of the payload, or undefined to
   * send the payload unchanged. If too many bytes are unread, it throws not_ready. We always send two kinds of
   * responses: those to a request that changes something, and streams to a caller with a key (`mayBeRefused`).
   */
  handOver(request: FastifyRequest, reply: FastifyReply, payload: unknown, isAlone: boolean): Buffer | undefined {
    const bytes = bytesOf(payload);
    if (bytes === 0 || (isAlone && bytes <= MAX_UNCOUNTED)) return undefined;
    const shares = sharesOf(request);
    if (bytes > MAX_UNCOUNTED && mayBeRefused(request, payload) && !this.#hasCapacity(shares)) {
      if (payload instanceof Readable) payload.destroy();
      // These headers describe the response that we do not send.
      reply.removeHeader('content-disposition').header('cache-control', 'no-store');
      throw tooMuchUnread();
    }
    this.#countUntilSent(shares, bytes, request.raw.socket, reply.raw);
    return typeof payload === 'string' && bytes > MAX_UNCOUNTED ? Buffer.from(payload) : undefined;
  }

  /**
   * Returns true if the shares are not used up yet. We do not add the size of this response, so that a response of any
   * size can be sent. So one response may exceed a share.
   */
  #hasCapacity(shares: Share[]): boolean {
    return this.#all < MAX_BYTES && !this.#isUsedUp(shares);
  }

  #isUsedUp(shares: Share[]): boolean {
    return shares.some(({ id, most }) => this.#bytesOfShare(id) >= most);
  }

  #countUntilSent(shares: Share[], bytes: number, socket: Socket, response: ServerResponse): void {
    this.#add(shares, bytes);
    // This response waits behind other responses of the same connection. If we cut the connection, Node emits no close
    // event for this response.
    const pipelined = response.socket === null ? this.#pipelinedOn(socket) : null;
    let isGiven = false;
    const release = (): void => {
      if (isGiven) return;
      isGiven = true;
      pipelined?.delete(release);
      this.#add(shares, -bytes);
    };
    pipelined?.add(release);
    response.once('close', release);
  }

  #pipelinedOn(socket: Socket): Set<() => void> {
    const known = this.#pipelined.get(socket);
    if (known) return known;
    const responses = new Set<() => void>();
    this.#pipelined.set(socket, responses);
    socket.once('close', () => {
      for (const release of responses) release();
    });
    return responses;
  }

  #add(shares: Share[], bytes: number): void {
    this.#all += bytes;
    for (const { id } of shares) {
      const bytesOfShare = this.#bytesOfShare(id) + bytes;
      if (bytesOfShare > 0) this.#bytesByShare.set(id, bytesOfShare);
      else this.#bytesByShare.delete(id);
    }
  }

  #bytesOfShare(id: string): number {
    return this.#bytesByShare.get(id) ?? 0;
  }
}

function bytesOf(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  if (payload instanceof Readable) return BYTES_OF_A_STREAM;
  return Buffer.isBuffer(payload) ? payload.length : 0;
}

const OF_TENANTS = new Set<string | undefined>(['team_key', 'access_token', 'management_key', 'session']);

/**
 * Returns true if the caller sent a key of a team or of an organisation, or is signed in to one. Links and user tokens
 * must not use up the share of their team.
 */
const isOfTenant = ({ trail }: FastifyRequest): boolean => OF_TENANTS.has(trail?.key.kind);

function sharesOf(request: FastifyRequest): Share[] {
  const key = isOfTenant(request) ? request.trail?.key : undefined;
  if (!key) return [{ id: `address ${networkOf(request.ip)}`, most: MAX_BYTES_OF_ONE }];
  return [
    { id: key.team_id === null ? `keys ${key.org_id}` : `team ${key.team_id}`, most: MAX_BYTES_OF_ONE },
    { id: `organisation ${key.org_id}`, most: MAX_BYTES_OF_AN_ORG },
  ];
}

/**
 * Returns true if we may send not_ready instead of this response. We do not refuse a stream to a caller with a key of a
 * team or organisation, because the work for the stream has begun.
 */
const mayBeRefused = (request: FastifyRequest, payload: unknown): boolean =>
  readsOnly(request) && !(payload instanceof Readable && isOfTenant(request));

const readsOnly = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' || method === 'HEAD' || (routeOptions.config.operation?.reads ?? false);

const tooMuchUnread = (): AppError =>
  new AppError('not_ready', 'Too many bytes of earlier responses are unread. Read them, and send this request again.');
