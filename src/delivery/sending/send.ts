import type { Agent, Dispatcher } from 'undici';
import { ORIGIN_HEADER } from '../../events/origin.ts';
import type { Owner } from '../../fair/round-robin.ts';
import type { AddressPolicy } from '../../outbound/address-policy.ts';
import { openAgents } from './agents.ts';
import type { NameResolver } from '../../outbound/open-resolver.ts';
import { TransientMap } from '../../transient-map.ts';
import { Deadlines } from './deadlines.ts';
import { classify, codeOf, type SendError } from './send-error.ts';
import { sign } from './sign.ts';

export type SendRequest = {
  /** The team and organisation of the endpoint. Teams share neither connections nor DNS look-ups. */
  owner: Owner;
  url: string;
  /** The headers that the team configured. `checkHeaders` has accepted them. */
  headers: Record<string, string>;
  /** The id of the event, which is the same at every attempt. */
  id: string;
  /** The origin of the event's data. Null if the event has none. */
  origin: string | null;
  /** The JSON text of the event. We send these bytes unchanged. */
  body: Buffer;
  secrets: string[];
};

export type SendOutcome = {
  /** True if a 2xx status line arrived in time, even if the body of the response did not arrive. */
  ok: boolean;
  /**
   * Null if no status line arrived. If a response breaks off after its status line, `status` and `error` are both set.
   * A 2xx response has no `error`, even if it breaks off.
   */
  status: number | null;
  /** Null for every 2xx, and for any other complete response that is not a redirect. */
  error: SendError | null;
  /**
   * The code of the operating system or library that caused `error`, for example CERT_HAS_EXPIRED. It contains no
   * address.
   */
  error_detail: string | null;
  duration_ms: number;
  /**
   * The first 16 KiB of the response body as text. Invalid UTF-8 and NUL become U+FFFD. PostgreSQL refuses NUL in text.
   */
  response_body: string;
  /**
   * The wait that the Retry-After header demands, in whole seconds from now. Null if the header is missing or
   * malformed.
   */
  retry_after_seconds: number | null;
  /** True if the endpoint responded with 410: it wants no more events. */
  gone: boolean;
  /** The values of the headers that we made for the request. Null if the request failed before we made them. */
  sent: SentHeaders | null;
};

/**
 * `at_ms` is the time of the webhook-timestamp header, which has it in whole seconds. `signature` is the value of the
 * webhook-signature header.
 */
type SentHeaders = { at_ms: number; signature: string; user_agent: string };

export type SenderOptions = {
  policy: AddressPolicy;
  userAgent: string;
  /**
   * The time limit from the call of `send` to the last byte of the response. It includes name resolution and
   * connecting.
   */
  timeoutMs?: number;
  /** The most connections that a team has to one origin. */
  connectionsPerOrigin?: number;
  /** How long an idle connection stays open, unless the endpoint's Keep-Alive header states another time. */
  keepAliveMs?: number;
  /** Resolves host names. It replaces the name servers and the hosts file. */
  resolver?: NameResolver;
  /** Trusted certificates in PEM. They replace Node's own list. */
  ca?: string;
};

export type Sender = {
  /** Makes one attempt. The promise never rejects. */
  send(request: SendRequest): Promise<SendOutcome>;
  /** Ends attempts under way with the error `cancelled`, and closes every connection. */
  close(): Promise<void>;
};

const STORED_BODY_BYTES = 16 * 1024;
const CACHED_TARGETS = 10_000;
const MAX_RETRY_AFTER_SECONDS = 7 * 86_400;

/** Signs webhooks and POSTs them over keep-alive connections. */
export function openSender(options: SenderOptions): Sender {
  const { policy, userAgent, timeoutMs = 15_000 } = options;
  const agents = openAgents({ ...options, timeoutMs });
  const underWay = new TransientMap<Attempt, true>();
  const deadlines = new Deadlines(timeoutMs);
  const targets = new Map<string, Target | null>();

  async function send(request: SendRequest): Promise<SendOutcome> {
    const attempt = new Attempt();
    underWay.set(attempt, true);
    deadlines.add(attempt);
    const target = targetOf(request.url);
    const { agent, done } = agents.take(request.owner);
    if (target === null) attempt.stop('address_refused', null);
    else dispatch(agent, target, request, attempt);
    const outcome = await attempt.outcome;
    deadlines.delete(attempt);
    underWay.delete(attempt);
    done();
    return outcome;
  }

  /**
   * Parses a URL. Returns null if we may not connect to that address (`src/outbound`). We cache the results, because
   * parsing and checking take a seventh of a send.
   */
  function targetOf(url: string): Target | null {
    let target = targets.get(url);
    if (target === undefined) {
      target = policy.checkUrl(url) === null ? parseTarget(url) : null;
      if (targets.size >= CACHED_TARGETS) targets.clear();
      targets.set(url, target);
    }
    return target;
  }

  function dispatch(agent: Agent, target: Target, request: SendRequest, attempt: Attempt): void {
    try {
      const headers = headersOf(request, userAgent, attempt);
      // undici takes 9 µs longer to read an object that V8 made by a spread, so we do not write `...target`.
      const { origin, path } = target;
      agent.dispatch({ origin, path, method: 'POST', headers, body: request.body }, attempt);
    } catch (error) {
      attempt.stop('invalid_request', codeOf(error));
    }
  }

  async function close(): Promise<void> {
    // If the first connection of a client failed, undici forgets the client, and destroying the agent does not end its
    // requests. So we stop each attempt.
    for (const attempt of underWay.keys()) attempt.stop('cancelled', null);
    deadlines.clear();
    await agents.destroy();
  }

  return { send, close };
}

type Target = { origin: string; path: string };

function parseTarget(url: string): Target {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

function headersOf(request: SendRequest, userAgent: string, attempt: Attempt): string[] {
  const at_ms = Date.now();
  const signature = sign({
    id: request.id,
    timestampSeconds: at_ms / 1000,
    body: request.body,
    secrets: request.secrets,
  });
  attempt.sent = { at_ms, signature: signature['webhook-signature'] as string, user_agent: userAgent };
  const headers = ['content-type', 'application/json', 'accept-encoding', 'identity', 'user-agent', userAgent];
  for (const name in signature) headers.push(name, signature[name]!);
  if (request.origin !== null) headers.push(ORIGIN_HEADER, request.origin);
  for (const name in request.headers) headers.push(name, request.headers[name]!);
  return headers;
}

/** Handles one POST for undici. It resolves `outcome` once, and ignores everything that undici reports afterwards. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<SendOutcome>;
  sent: SentHeaders | null = null;
  #resolve!: (outcome: SendOutcome) => void;
  #isComplete = false;
  #controller: Dispatcher.DispatchController | null = null;
  readonly startedAt = performance.now();
  #status: number | null = null;
  #retryAfterSeconds: number | null = null;
  readonly #chunks: Buffer[] = [];
  #bodyBytes = 0;

  constructor() {
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Resolves `outcome` immediately. Closes the connection, or stops waiting for one. */
  stop(error: SendError | null, detail: string | null): void {
    this.#complete(error, detail);
    this.#controller?.abort(new Error('stopped'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici cannot remove a request that waits for a connection (nodejs/undici#386). An error here keeps undici from
    // writing the request. An abort would also close the connection, but this error leaves it open for the next
    // request.
    if (this.#isComplete) throw new Error('stopped before it was written');
    this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers['retry-after'];
    if (typeof retryAfter === 'string') this.#retryAfterSeconds = parseRetryAfter(retryAfter, Date.now());
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#isComplete) return;
    const space = STORED_BODY_BYTES - this.#bodyBytes;
    const part = chunk.length > space ? chunk.subarray(0, space) : chunk;
    this.#chunks.push(part);
    this.#bodyBytes += part.length;
    if (chunk.length > space) this.stop(null, null);
  }

  onResponseEnd(): void {
    this.#complete(null, null);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#complete(classify(error), codeOf(error));
  }

  #complete(error: SendError | null, detail: string | null): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    const status = this.#status;
    const ok = status !== null && status >= 200 && status < 300;
    const isRedirect = status !== null && status >= 300 && status < 400;
    this.#resolve({
      ok,
      status,
      error: ok ? null : (error ?? (isRedirect ? 'redirect' : null)),
      error_detail: detail,
      duration_ms: Math.round(performance.now() - this.startedAt),
      response_body: this.#bodyBytes === 0 ? '' : toText(Buffer.concat(this.#chunks)),
      retry_after_seconds: this.#retryAfterSeconds,
      gone: status === 410,
      sent: this.sent,
    });
    this.#chunks.length = 0;
  }
}

/**
 * Decodes the bytes as the first chunk of a stream. If the size limit cut a character at the end, that character is
 * dropped.
 */
function decodeStart(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

function toText(bytes: Buffer): string {
  const wasCut = bytes.length === STORED_BODY_BYTES;
  const text = wasCut ? decodeStart(bytes) : bytes.toString();
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

/**
 * Returns the seconds from `nowMs` that a Retry-After header (RFC 9110 10.2.3) demands, at most 7 days. Returns null if
 * the header is malformed.
 */
export function parseRetryAfter(value: string, nowMs: number): number | null {
  const text = value.trim();
  const isDate = /^[A-Z][a-z]{2,8}, .{10,} GMT$/.test(text);
  const untilDate = isDate ? Math.ceil((Date.parse(text) - nowMs) / 1000) : NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : untilDate;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}
