import { BLOCKED_PORTS } from '../../outbound/address-policy.ts';
import type { BrokerAddress } from '../../outbound/amqp/open-broker.ts';
import { LONGEST_SHORT_TEXT } from '../../outbound/amqp/methods.ts';
import { urlOrNull } from '../../wire/text.ts';
import { MASK } from '../mask.ts';

const PORTS = { 'amqps:': 5671, 'amqp:': 5672 } as const;
const HOST = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i;

/** Returns the address and the login in a URI that `problemOfUri` has accepted. */
export function readBrokerUri(uri: string): BrokerAddress {
  const url = new URL(uri);
  const protocol = url.protocol as keyof typeof PORTS;
  return {
    tls: protocol === 'amqps:',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? PORTS[protocol] : Number(url.port),
    username: decodeURIComponent(url.username) || 'guest',
    password: decodeURIComponent(url.password) || 'guest',
    vhost: decodeURIComponent(url.pathname.slice(1)) || '/',
  };
}

/**
 * Returns null if the URI may be stored and used, else a sentence for the person who entered it. Does not resolve the
 * host name.
 */
export function problemOfUri(uri: string, allowPlain: boolean): string | null {
  const url = urlOrNull(uri);
  if (/[\p{Cc}\s]/u.test(uri) || !url || !(url.protocol in PORTS))
    return 'The uri must begin with amqps:// or amqp://.';
  if (url.protocol === 'amqp:' && !allowPlain) return 'The uri must begin with amqps://.';
  if (!HOST.test(url.hostname)) return 'The uri must name a host.';
  if (url.search !== '' || url.hash !== '') return 'The uri must not have a query or a fragment.';
  if (BLOCKED_PORTS.has(Number(url.port)) || url.port === '0')
    return (
      `Port ${url.port} is not allowed: it belongs to another kind of service. Brokers listen on 5671 (amqps) or ` +
      '5672 (amqp).'
    );
  if (!isReadable(url)) return 'The login or the virtual host of the uri is too long, or not percent-encoded.';
  if (decodeURIComponent(url.password) === MASK) return `${MASK} stands for a password. Send the password itself.`;
  return null;
}

function isReadable({ username, password, pathname }: URL): boolean {
  const vhost = pathname.slice(1);
  try {
    return (
      !vhost.includes('/') &&
      [username, password, vhost]
        .map((part) => decodeURIComponent(part))
        .every((part) => !part.includes('\0') && Buffer.byteLength(part) <= LONGEST_SHORT_TEXT)
    );
  } catch {
    return false;
  }
}

/** Returns the URI with its password masked. */
export function maskUri(uri: string): string {
  const url = new URL(uri);
  if (url.password !== '') url.password = MASK;
  return url.href;
}
