import { isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { networksPolicy } from './address-policy.ts';
import { vettingConnector } from './connector.ts';
import { openResolver, type NameResolver } from './resolve.ts';

export type SocketTarget = {
  host: string;
  port: number;
  /** CIDRs that the operator named: the peer has to be in one of them. */
  networks: string[];
  timeoutMs: number;
  tls: { ca?: string; cert?: string; key?: string; serverName?: string } | null;
};

let resolver: NameResolver | undefined;

/**
 * A connection of another protocol than HTTP to where an operator said, as to a laboratory within a private network: by
 * the same vetting as all others, but by the operator's networks alone. Errors carry a `code` of the system or of ours.
 */
export function openSocket({ host, port, networks, timeoutMs, tls }: SocketTarget): Promise<Socket> {
  resolver ??= openResolver();
  const { lookup } = resolver;
  const connect = vettingConnector({
    policy: networksPolicy(networks),
    timeoutMs,
    lookup: (hostname) => lookup('laboratories', hostname),
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
      socket.once('error', (error) => {
        clearTimeout(timer);
        callback(error, null);
      });
    },
  });
  return new Promise((resolve, reject) => {
    const target = { hostname: host, port: String(port), protocol: tls ? 'https:' : 'http:' };
    connect(target, (error, socket) => {
      if (error) reject(error);
      else resolve(socket as Socket);
    });
  });
}
