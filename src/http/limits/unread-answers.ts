import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { TransientMap } from '../../transient-map.ts';
import { networkOf } from './network-of.ts';

const MEBIBYTE = 1024 * 1024;
/** Of one process. */
const MOST_BYTES = 128 * MEBIBYTE;
const MOST_BYTES_OF_AN_ORG = MOST_BYTES / 4;
/** Of a team, of an organisation's own keys, or of an address. */
const MOST_BYTES_OF_ONE = MOST_BYTES / 8;
/** Of an answer that has its connection to itself: no client is slow to read that little, and connections are counted. */
const MOST_UNCOUNTED = 16 * 1024;
/** A stream waits for its reader with no more than a piece that was written and the next one, and the window that compresses it. */
const BYTES_OF_A_STREAM = 512 * 1024;

type Share = { id: string; most: number };

/**
 * Bytes of answers that were handed to their connections and are not taken yet: the place of a request is free again when its
 * answer is there, so that nothing else bounds what clients leave unread. They lie as bytes, outside of the heap.
 */
export class UnreadAnswers {
  readonly #held = new TransientMap<string, number>();
  readonly #behindOthers = new WeakMap<Socket, Set<() => void>>();
  #all = 0;

  get bytes(): number {
    return this.#all;
  }

  /**
   * Throws not_ready where whose key it is leaves too much unread. It is asked once a request has its place and before anything is
   * done: while that waited, answers to those before it may have been left unread.
   */
  refuseWhoReadsNothing(request: FastifyRequest): void {
    if (this.#all < MOST_BYTES_OF_ONE || !isOfTenant(request)) return;
    if (this.#isUsedUp(sharesOf(request))) throw tooMuchUnread();
  }

  /**
   * Counts an answer until its connection has taken it, and gives what to send in its stead; undefined: as it is. Throws not_ready
   * where something was only read and there is no room for it. What was changed, or begun as a stream, is told in any case.
   */
  handOver(request: FastifyRequest, reply: FastifyReply, payload: unknown, isAlone: boolean): Buffer | undefined {
    const bytes = bytesOf(payload);
    if (bytes === 0 || (isAlone && bytes <= MOST_UNCOUNTED)) return undefined;
    const shares = sharesOf(request);
    if (bytes > MOST_UNCOUNTED && mayBeRefused(request, payload) && !this.#hasRoom(shares)) {
      if (payload instanceof Readable) payload.destroy();
      // Of the answer that is not sent.
      reply.removeHeader('content-disposition').header('cache-control', 'no-store');
      throw tooMuchUnread();
    }
    this.#hold(shares, bytes, request.raw.socket, reply.raw);
    return typeof payload === 'string' && bytes > MOST_UNCOUNTED ? Buffer.from(payload) : undefined;
  }

  /** An answer passes a share by its own size at most, so that one of any size can be had. */
  #hasRoom(shares: Share[]): boolean {
    return this.#all < MOST_BYTES && !this.#isUsedUp(shares);
  }

  #isUsedUp(shares: Share[]): boolean {
    return shares.some(({ id, most }) => this.#heldBy(id) >= most);
  }

  #hold(shares: Share[], bytes: number, socket: Socket, response: ServerResponse): void {
    this.#add(shares, bytes);
    // No close follows of an answer behind others whose connection is cut.
    const behindOthers = response.socket === null ? this.#behindOthersOn(socket) : null;
    let isGiven = false;
    const giveBack = (): void => {
      if (isGiven) return;
      isGiven = true;
      behindOthers?.delete(giveBack);
      this.#add(shares, -bytes);
    };
    behindOthers?.add(giveBack);
    response.once('close', giveBack);
  }

  #behindOthersOn(socket: Socket): Set<() => void> {
    const known = this.#behindOthers.get(socket);
    if (known) return known;
    const answers = new Set<() => void>();
    this.#behindOthers.set(socket, answers);
    socket.once('close', () => {
      for (const giveBack of answers) giveBack();
    });
    return answers;
  }

  #add(shares: Share[], bytes: number): void {
    this.#all += bytes;
    for (const { id } of shares) {
      const held = this.#heldBy(id) + bytes;
      if (held > 0) this.#held.set(id, held);
      else this.#held.delete(id);
    }
  }

  #heldBy(id: string): number {
    return this.#held.get(id) ?? 0;
  }
}

function bytesOf(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  if (payload instanceof Readable) return BYTES_OF_A_STREAM;
  return Buffer.isBuffer(payload) ? payload.length : 0;
}

/** A key of a team or an organisation. Who has a link or a token of a user alone shall not take the team's share. */
const isOfTenant = ({ trail }: FastifyRequest): boolean =>
  trail?.key.kind === 'team_key' || trail?.key.kind === 'access_token' || trail?.key.kind === 'management_key';

function sharesOf(request: FastifyRequest): Share[] {
  const key = isOfTenant(request) ? request.trail?.key : undefined;
  if (!key) return [{ id: `address ${networkOf(request.ip)}`, most: MOST_BYTES_OF_ONE }];
  return [
    { id: key.team_id === null ? `keys ${key.org_id}` : `team ${key.team_id}`, most: MOST_BYTES_OF_ONE },
    { id: `organisation ${key.org_id}`, most: MOST_BYTES_OF_AN_ORG },
  ];
}

/** A stream of a key has begun its work, which its operation ends itself. */
const mayBeRefused = (request: FastifyRequest, payload: unknown): boolean =>
  readsOnly(request) && !(payload instanceof Readable && isOfTenant(request));

const readsOnly = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' || method === 'HEAD' || (routeOptions.config.endpoint?.reads ?? false);

const tooMuchUnread = (): AppError =>
  new AppError('not_ready', 'Too much of what was answered here is not read yet. Read it, and send this one again.');
