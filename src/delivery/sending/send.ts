import type { Agent, Dispatcher } from 'undici';
import { ORIGIN_HEADER } from '../../events/origin.ts';
import type { Owner } from '../../fair/round-robin.ts';
import type { AddressPolicy } from '../../outbound/address-policy.ts';
import { openAgents } from './agents.ts';
import type { NameResolver } from '../../outbound/resolve.ts';
import { TransientMap } from '../../transient-map.ts';
import { Deadlines } from './deadlines.ts';
import { classify, codeOf, type SendError } from './send-error.ts';
import { sign } from './sign.ts';

export type SendRequest = {
  /** Whose receiver it is: connections and look-ups are not shared between teams. */
  owner: Owner;
  url: string;
  /** The team's own headers, which passed `checkHeaders`. */
  headers: Record<string, string>;
  /** The event's id, the same at every attempt. */
  id: string;
  /** How the data came that it tells of; null where it does not say. */
  origin: string | null;
  /** JSON, sent as it is. */
  body: Buffer;
  secrets: string[];
};

export type SendOutcome = {
  /** The status line said 2xx in time, whatever the body did then. */
  ok: boolean;
  /** Null when no status line arrived. Also set when another answer than a 2xx broke off later: `error` tells why. */
  status: number | null;
  /** Null when an answer arrived, whatever its status, unless that is a redirect. */
  error: SendError | null;
  /** The system's or library's own code behind `error`, such as CERT_HAS_EXPIRED. Holds no address. */
  error_detail: string | null;
  duration_ms: number;
  /** The first 16 KiB as text. What is no UTF-8, and NUL, which PostgreSQL refuses in text, becomes U+FFFD. */
  response_body: string;
  /** From the Retry-After header, in whole seconds from now; null when absent or unreadable. */
  retry_after_seconds: number | null;
  /** The receiver answered 410: it wants no more events. */
  gone: boolean;
  /** What the headers told, those of the team aside; null where none were made. */
  sent: Sent | null;
};

/** `at_ms` is the time that is told in whole seconds, `signature` the header's value. */
type Sent = { at_ms: number; signature: string; user_agent: string };

export type SenderOptions = {
  policy: AddressPolicy;
  userAgent: string;
  /** From the call of `send` to the last byte of the answer: name resolution, connecting and waiting included. */
  timeoutMs?: number;
  /** Of one team. */
  connectionsPerOrigin?: number;
  /** How long an idle connection is kept, unless the receiver names a time of its own. */
  keepAliveMs?: number;
  /** Instead of name servers and the hosts file. */
  resolver?: NameResolver;
  /** Trusted certificates in PEM, instead of Node's own list. */
  ca?: string;
};

export type Sender = {
  /** One attempt. Never rejects. */
  send(request: SendRequest): Promise<SendOutcome>;
  /** Ends attempts under way with `cancelled` and closes every connection. */
  close(): Promise<void>;
};

const KEPT_BODY_BYTES = 16 * 1024;
const KEPT_TARGETS = 10_000;
const MAX_RETRY_AFTER_SECONDS = 7 * 86_400;

/** Signs and POSTs webhooks over kept connections. */
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

  /** Null when the policy forbids the URL. Kept, because parsing and checking cost a seventh of a send. */
  function targetOf(url: string): Target | null {
    let target = targets.get(url);
    if (target === undefined) {
      target = policy.checkUrl(url) === null ? parseTarget(url) : null;
      if (targets.size >= KEPT_TARGETS) targets.clear();
      targets.set(url, target);
    }
    return target;
  }

  function dispatch(agent: Agent, target: Target, request: SendRequest, attempt: Attempt): void {
    try {
      const headers = headersOf(request, userAgent, attempt);
      // Not `...target`: V8 makes a spread object so that undici takes 9 µs longer to read it.
      const { origin, path } = target;
      agent.dispatch({ origin, path, method: 'POST', headers, body: request.body }, attempt);
    } catch (error) {
      attempt.stop('invalid_request', codeOf(error));
    }
  }

  async function close(): Promise<void> {
    // undici loses sight of a client whose first connection failed: destroying the agent does not reach it.
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

/** One POST as undici's handler. Settles once; whatever undici reports afterwards is ignored. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<SendOutcome>;
  sent: Sent | null = null;
  #resolve!: (outcome: SendOutcome) => void;
  #settled = false;
  #controller: Dispatcher.DispatchController | null = null;
  readonly startedAt = performance.now();
  #status: number | null = null;
  #retryAfterSeconds: number | null = null;
  readonly #chunks: Buffer[] = [];
  #keptBytes = 0;

  constructor() {
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Settles now and gives up the connection, or the place in the queue for one. */
  stop(error: SendError | null, detail: string | null): void {
    this.#settle(error, detail);
    this.#controller?.abort(new Error('stopped'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici cannot take back a request that waits for a connection (nodejs/undici#386). Throwing here keeps it
    // from being written and, unlike an abort, leaves the connection to the next request.
    if (this.#settled) throw new Error('stopped before it was written');
    this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers['retry-after'];
    if (typeof retryAfter === 'string') this.#retryAfterSeconds = parseRetryAfter(retryAfter, Date.now());
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#settled) return;
    const room = KEPT_BODY_BYTES - this.#keptBytes;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#chunks.push(kept);
    this.#keptBytes += kept.length;
    if (chunk.length > room) this.stop(null, null);
  }

  onResponseEnd(): void {
    this.#settle(null, null);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#settle(classify(error), codeOf(error));
  }

  #settle(error: SendError | null, detail: string | null): void {
    if (this.#settled) return;
    this.#settled = true;
    const status = this.#status;
    const ok = status !== null && status >= 200 && status < 300;
    const isRedirect = status !== null && status >= 300 && status < 400;
    this.#resolve({
      ok,
      status,
      error: ok ? null : (error ?? (isRedirect ? 'redirect' : null)),
      error_detail: detail,
      duration_ms: Math.round(performance.now() - this.startedAt),
      response_body: this.#keptBytes === 0 ? '' : toText(Buffer.concat(this.#chunks)),
      retry_after_seconds: this.#retryAfterSeconds,
      gone: status === 410,
      sent: this.sent,
    });
    this.#chunks.length = 0;
  }
}

/** As the first chunk of a stream: a character that the cut split is left out, not garbled. */
function decodeStart(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

function toText(bytes: Buffer): string {
  const wasCut = bytes.length === KEPT_BODY_BYTES;
  const text = wasCut ? decodeStart(bytes) : bytes.toString();
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

/** The seconds from `nowMs` that a Retry-After header (RFC 9110 10.2.3) asks for, at most 7 days, or null. */
export function parseRetryAfter(value: string, nowMs: number): number | null {
  const text = value.trim();
  const isDate = /^[A-Z][a-z]{2,8}, .{10,} GMT$/.test(text);
  const untilDate = isDate ? Math.ceil((Date.parse(text) - nowMs) / 1000) : NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : untilDate;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}
