import { isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import type { Owner } from '../fair/round-robin.ts';
import type { AddressPolicy } from './address-policy.ts';
import { vettingConnector } from './connector.ts';
import { openResolver, type NameResolver } from './resolve.ts';

export type SocketTarget = {
  host: string;
  port: number;
  /** Where the peer may be. */
  policy: AddressPolicy;
  /** Whose share of look-ups it takes. */
  share: Owner;
  timeoutMs: number;
  /** Once it is aborted the connection is given up at once; of one that stands it means nothing. */
  signal?: AbortSignal;
  tls: { ca?: string; cert?: string; key?: string; serverName?: string } | null;
};

let resolver: NameResolver | undefined;

/**
 * A connection of another protocol than HTTP, as to a laboratory within a private network or to a broker of a team: by the same
 * vetting as all others. Errors carry a `code` of the system or of ours.
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
      // Whoever gives up waits for nothing of what was begun, as a look-up.
      connecting.signal.addEventListener('abort', () => reject(new Error('the connection was given up')));
      connect({ hostname: host, port: String(port), protocol: tls ? 'https:' : 'http:' }, (error, socket) => {
        if (error) reject(error);
        else resolve(socket as Socket);
      });
    });
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}
