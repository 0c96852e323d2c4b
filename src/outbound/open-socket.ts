import { isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import type { Owner } from '../fair/round-robin.ts';
import type { AddressPolicy } from './address-policy.ts';
import { vettingConnector } from './vetting-connector.ts';
import { openResolver, type NameResolver } from './open-resolver.ts';

export type SocketTarget = {
  host: string;
  port: number;
  /** Decides which addresses the peer may have. */
  policy: AddressPolicy;
  /** The owner whose share of DNS look-ups this connection uses. */
  share: Owner;
  timeoutMs: number;
  /** Aborts opening the connection immediately. It has no effect on an open connection. */
  signal?: AbortSignal;
  tls: { ca?: string; cert?: string; key?: string; serverName?: string } | null;
};

let resolver: NameResolver | undefined;

/**
 * Opens a connection for a protocol other than HTTP, for example to a laboratory in a private network or to a team's
 * broker. As for every connection, the connector checks the address first. Errors have a `code`, either of the
 * operating system or one of our own.
 */
export async function openSocket(target: SocketTarget): Promise<Socket> {
  const { host, port, policy, share, timeoutMs, signal, tls } = target;
  const connecting = new AbortController();
  resolver ??= openResolver();
  const { lookup } = resolver;
  const connect = vettingConnector({
    policy,
    timeoutMs,
    signal: connecting.signal,
    lookup: (hostname, forMs) => lookup(share, hostname, forMs),
    startTls: (tcp, hostname, callback) => {
      const { ca, cert, key, serverName } = tls ?? {};
      const socket = connectTls({
        socket: tcp,
        secureContext: createSecureContext({
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
        }),
        host: serverName ?? hostname,
        ...(isIP(serverName ?? hostname) === 0 ? { servername: serverName ?? hostname } : {}),
      });
      const timer = setTimeout(
        () => socket.destroy(Object.assign(new Error('the TLS handshake took too long'), { code: 'ETIMEDOUT' })),
        timeoutMs,
      );
      socket.once('secureConnect', () => {
        clearTimeout(timer);
        callback(null, socket);
      });
      socket.once('error', (error) => callback(error, null));
      socket.once('close', () => clearTimeout(timer));
    },
  });
  const giveUp = (): void => connecting.abort();
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted) giveUp();
  try {
    return await new Promise<Socket>((resolve, reject) => {
      // An abort rejects immediately and does not wait for steps under way, for example a look-up.
      connecting.signal.addEventListener('abort', () => reject(new Error('the connection attempt was aborted')));
      connect({ hostname: host, port: String(port), protocol: tls ? 'https:' : 'http:' }, (error, socket) => {
        if (error) reject(error);
        else resolve(socket as Socket);
      });
    });
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}
