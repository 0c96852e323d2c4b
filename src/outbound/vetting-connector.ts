import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { AddressPolicy } from './address-policy.ts';

/** Returns all addresses of a host name. `forMs` is how long the caller waits. Rejects with a DNS error. */
export type Lookup = (hostname: string, forMs: number) => Promise<LookupAddress[]>;

export type ConnectorOptions = {
  policy: AddressPolicy;
  /**
   * The time limit. It applies to the TCP connection including name resolution, and separately to the TLS handshake.
   */
  timeoutMs: number;
  /** An abort of this signal destroys the TCP connection. */
  signal?: AbortSignal;
  lookup: Lookup;
  /** Starts TLS on an open connection. Usually made by `tlsStarter`. */
  startTls: StartTls;
};

/** The host is an address that the policy forbids, or its name resolves to such an address. */
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
 * The pause before we try the next address of a host. Some hosts respond on their IPv4 address, but not on their IPv6
 * address. Node's default of 250 ms is too short for hosts that respond but are far away.
 */
const NEXT_ADDRESS_AFTER_MS = 1000;

/**
 * The most TLS sessions that we cache. A session has 2–3 kB. Resuming one saves a fifth of the 1.5 ms of CPU time that
 * a handshake costs.
 */
const MAX_TLS_SESSIONS = 1000;

/**
 * Returns an undici connector that connects only to allowed addresses. All connections to endpoints and providers use
 * it. It checks the address at three points. First, it checks an IP address in the URL itself, because Node does not
 * call a `lookup` hook for one. Second, it refuses a name if any address in the DNS answer is forbidden, and connects
 * only to the addresses of this answer. So a second resolution cannot return others. Third, it checks the address of
 * the connected peer before we write a byte.
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
 * If a request is aborted, undici opens a new connection for it and leaves that connection unused (nodejs/undici#5845).
 * It does so because it does not treat its own `InformationalError('aborted')` as a failure of the request. For any
 * other error it drops the request. So we replace that error.
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
  if (peer === undefined) return errorWithCode('ECONNRESET', 'the peer closed the connection at once');
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

/**
 * Returns a function that starts TLS. All connections share it, so that the trusted certificates (`ca` in PEM, or
 * Node's own list) are loaded only once and TLS sessions are cached.
 */
export function tlsStarter(timeoutMs: number, ca?: string): StartTls {
  const sessions = new Map<string, Buffer>();
  let secureContext: SecureContext | undefined;

  function cacheSession(host: string, session: Buffer): void {
    sessions.delete(host);
    sessions.set(host, session);
    if (sessions.size > MAX_TLS_SESSIONS) sessions.delete(sessions.keys().next().value!);
  }

  return (tcp, host, callback) => {
    // We create the context at the first use. Reading the list of certificate authorities at the start would make every
    // start slower.
    secureContext ??= createSecureContext(ca === undefined ? {} : { ca });
    const socket = connectTls({
      socket: tcp,
      secureContext,
      session: sessions.get(host),
      ALPNProtocols: ['http/1.1'],
      // TLS does not allow an IP address as a server name (RFC 6066 3), so we send none. Node still checks the
      // certificate against the host.
      ...(isIP(host) === 0 ? { servername: host, host } : { host }),
    });
    const timer = setTimeout(() => {
      socket.destroy(errorWithCode('ETIMEDOUT', 'the TLS handshake took too long'));
    }, timeoutMs);
    let done = false;
    socket.on('session', (session) => cacheSession(host, session));
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
