import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { AddressPolicy } from './address-policy.ts';

/** Answers every address of a host name, which is awaited `forMs`; rejects with a DNS error. */
export type Lookup = (hostname: string, forMs: number) => Promise<LookupAddress[]>;

export type ConnectorOptions = {
  policy: AddressPolicy;
  /** For the TCP connection with its name resolution, and once more for the TLS handshake. */
  timeoutMs: number;
  /** Destroys the connection below TLS when it is aborted. */
  signal?: AbortSignal;
  lookup: Lookup;
  /** How TLS begins on a connection that stands: `tlsStarter`. */
  startTls: StartTls;
};

/** The host is, or resolves to, an address that the policy forbids. */
export class AddressRefused extends Error {
  readonly code = 'address_refused';
  readonly hostname: string;
  readonly address: string;

  constructor(hostname: string, address: string) {
    super(`connections to ${hostname} (${address}) are not allowed`);
    this.name = 'AddressRefused';
    this.hostname = hostname;
    this.address = address;
  }
}

/**
 * A receiver without IPv6 behind a name that has it must not cost the attempt; Node's own 250 ms fails
 * receivers that are merely far away.
 */
const NEXT_ADDRESS_AFTER_MS = 1000;

/** A TLS session is 2–3 kB. Resuming one spares a fifth of the 1.5 ms of CPU that a handshake costs. */
const MAX_TLS_SESSIONS = 1000;

/**
 * The only way out of the process, to receivers of webhooks and to providers: an undici connector that connects to vetted addresses.
 * Node does not call a `lookup` hook for IP literals, so these are classified first; a name is refused when any
 * of its answers is forbidden, and the vetted answers themselves are what is connected to, so that no second
 * resolution can differ; last, the socket's real peer is classified before a byte is written.
 */
export function vettingConnector(options: ConnectorOptions): buildConnector.connector {
  const { policy, timeoutMs, signal, startTls } = options;
  const connectTcp = buildConnector({
    allowH2: false,
    timeout: timeoutMs,
    ...(signal === undefined ? {} : { signal }),
    lookup: vettedLookup(policy, (hostname) => options.lookup(hostname, timeoutMs)),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  });

  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !policy.isAllowed(host)) {
      queueMicrotask(() => callback(new AddressRefused(host, host), null));
      return;
    }
    const isTls = target.protocol === 'https:';
    const port = target.port || (isTls ? '443' : '80');
    connectTcp({ ...target, protocol: 'http:', port }, (error, socket) => {
      if (error) return callback(error, null);
      const refusal = refusalOfPeer(socket, host, policy);
      if (refusal) {
        socket.destroy();
        return callback(refusal, null);
      }
      return isTls ? startTls(socket, host, callback) : callback(null, stayClosedAfterAbort(socket));
    });
  };
}

/**
 * After an abort undici opens a new connection for the very request that was aborted and leaves it unused
 * (nodejs/undici#5845), because it takes its own `InformationalError('aborted')` for no failure of the request.
 * Any other error makes it drop the request instead.
 */
function stayClosedAfterAbort<T extends Socket>(socket: T): T {
  const destroy = socket.destroy.bind(socket);
  const destroyFor = (error?: Error): T =>
    destroy(error?.message === 'aborted' ? new Error('the request was aborted') : error);
  socket.destroy = destroyFor;
  return socket;
}

function refusalOfPeer(socket: Socket, host: string, policy: AddressPolicy): Error | null {
  const peer = socket.remoteAddress;
  if (peer === undefined) return errorWithCode('ECONNRESET', 'the connection was closed at once');
  return policy.isAllowed(peer) ? null : new AddressRefused(host, peer);
}

function errorWithCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function vettedLookup(policy: AddressPolicy, lookup: (hostname: string) => Promise<LookupAddress[]>): LookupFunction {
  async function resolve(hostname: string): Promise<LookupAddress[]> {
    const addresses = await lookup(hostname);
    const forbidden = addresses.find(({ address }) => !policy.isAllowed(address));
    if (forbidden) throw new AddressRefused(hostname, forbidden.address);
    if (addresses.length === 0) throw errorWithCode('ENOTFOUND', `${hostname} has no address`);
    return addresses;
  }

  const resolveWithCallback = callbackify(resolve);
  return (hostname, options, callback) => {
    resolveWithCallback(hostname, (error, addresses) => {
      const first = addresses?.[0];
      if (error || !first) return callback(error, []);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

export type StartTls = (socket: Socket, host: string, callback: buildConnector.Callback) => void;

/** One for all connections: the trusted certificates (`ca` in PEM, or Node's own list) and sessions are read once. */
export function tlsStarter(timeoutMs: number, ca?: string): StartTls {
  const sessions = new Map<string, Buffer>();
  let secureContext: SecureContext | undefined;

  function keepSession(host: string, session: Buffer): void {
    sessions.delete(host);
    sessions.set(host, session);
    if (sessions.size > MAX_TLS_SESSIONS) sessions.delete(sessions.keys().next().value!);
  }

  return (tcp, host, callback) => {
    // Made at the first use: reading the list of certificate authorities takes a start's worth of milliseconds.
    secureContext ??= createSecureContext(ca === undefined ? {} : { ca });
    const socket = connectTls({
      socket: tcp,
      secureContext,
      session: sessions.get(host),
      ALPNProtocols: ['http/1.1'],
      // Literals are no server names (RFC 6066 3), but the certificate is checked against the host all the same.
      ...(isIP(host) === 0 ? { servername: host, host } : { host }),
    });
    const timer = setTimeout(() => {
      socket.destroy(errorWithCode('ETIMEDOUT', 'the TLS handshake took too long'));
    }, timeoutMs);
    let done = false;
    socket.on('session', (session) => keepSession(host, session));
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      done = true;
      callback(null, stayClosedAfterAbort(socket));
    });
    socket.on('error', (error) => {
      clearTimeout(timer);
      if (done) return;
      done = true;
      sessions.delete(host);
      callback(error, null);
    });
  };
}
