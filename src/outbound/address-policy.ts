import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { urlOrNull } from '../wire/text.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** Decides to which addresses and URLs this deployment may connect, for webhooks and for requests to providers. */
export type AddressPolicy = {
  /** Returns true if a connection to this IP address is allowed. Returns false for text that is not an IP address. */
  isAllowed(ip: string): boolean;
  /** Returns null if the URL may be stored and called. Otherwise returns one sentence for the person who entered it. */
  checkUrl(url: string): string | null;
};

const MAX_URL_LENGTH = 2048;

/** The block from which all global unicast addresses are assigned (RFC 4291 2.4). */
const IPV6_GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * The prefix through which a network that has only IPv6 reaches every IPv4 address (RFC 6052). We check the IPv4
 * address within it.
 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * The host agent of Azure. Its address is in a public range, but every virtual machine of Azure reaches its own agent
 * there.
 */
const AZURE_HOST_AGENT = '168.63.129.16';

/**
 * Ports whose services may mistake an HTTP request for their own protocol: https://fetch.spec.whatwg.org/#port-blocking
 */
export const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * Ports of databases, caches, queues and their consoles. They often run on the same machine as a service and trust
 * every client.
 */
const STORAGE_PORTS = new Set([
  1433, 1521, 2181, 2375, 2376, 2379, 2380, 3306, 4369, 5432, 5433, 5672, 5984, 6379, 6380, 6432, 7687, 8086, 9042,
  9092, 9200, 9300, 10250, 11211, 15672, 16379, 26257, 26379, 27017, 27018, 27019, 28017,
]);

/**
 * Returns the policy that applies when a customer saves the URL of a webhook, and again before every connection. It
 * allows globally routable unicast addresses and the networks in `allowedNetworks` (CIDR, or one address). Throws if an
 * entry of `allowedNetworks` is malformed.
 */
export function addressPolicy(options: { allowedNetworks: string[]; allowHttp: boolean }): AddressPolicy {
  const networks = options.allowedNetworks.map(parseNetwork);

  function isAllowed(ip: string): boolean {
    // ipaddr.js parses the IPv4-compatible address ::8.8.8.8 as ::ffff:8.8.8.8, which is a different address (an
    // IPv4-mapped one). So we would check the wrong address. We refuse all IPv4-compatible addresses.
    if (isIP(ip) === 0 || /^::\d+\./.test(ip)) return false;
    const address = ipaddr.process(ip);
    return isGloballyRoutable(address) || networks.some((network) => liesIn(address, network));
  }

  return { isAllowed, checkUrl: (url) => problemOf(url, isAllowed, options.allowHttp) };
}

/**
 * Returns a policy that allows only addresses in these networks (CIDR, or one address). The networks may be public or
 * private.
 */
export function networksPolicy(allowedNetworks: string[]): AddressPolicy {
  const networks = allowedNetworks.map(parseNetwork);
  return {
    isAllowed: (ip) => isIP(ip) !== 0 && networks.some((network) => liesIn(ipaddr.process(ip), network)),
    checkUrl: () => 'This policy checks addresses only, not URLs.',
  };
}

function problemOf(text: string, isAllowed: (ip: string) => boolean, allowHttp: boolean): string | null {
  if (text.length > MAX_URL_LENGTH) return `The URL must be at most ${MAX_URL_LENGTH} characters long.`;
  if (/[\p{Cc}\s]/u.test(text)) return 'The URL must not contain spaces, line breaks or control characters.';
  if (!/^https?:\/\//i.test(text))
    return 'The URL must begin with https://, or with http:// where this deployment allows it.';
  const url = urlOrNull(text);
  if (!url) return 'The URL is not valid.';
  if (url.protocol === 'http:' && !allowHttp) return 'The URL must begin with https://.';
  if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or a password.';
  if (text.includes('#')) return 'The URL must not contain a fragment (#).';
  if (url.port === '0' || BLOCKED_PORTS.has(Number(url.port)) || STORAGE_PORTS.has(Number(url.port)))
    return `Port ${url.port} is not allowed.`;
  const ips = literalAddresses(url.hostname);
  if (!ips.every(isAllowed)) {
    return 'The URL leads to a private, local or reserved address, which this deployment does not send to.';
  }
  return null;
}

/**
 * Returns the addresses of a host name that we know without a DNS look-up. The list is empty if the name needs a
 * look-up.
 */
function literalAddresses(hostname: string): string[] {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (isIP(host) !== 0) return [host];
  // localhost always resolves to the loopback addresses (RFC 6761 6.3). One of the two is enough here, because the
  // connector checks the real addresses.
  return /(^|\.)localhost\.?$/.test(host) ? ['127.0.0.1'] : [];
}

function isGloballyRoutable(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) {
    return address.range() === 'unicast' && address.toString() !== AZURE_HOST_AGENT;
  }
  if (address.match(NAT64)) {
    return isGloballyRoutable(new ipaddr.IPv4(address.toByteArray().slice(12)));
  }
  return address.range() === 'unicast' && address.match(IPV6_GLOBAL_UNICAST);
}

function liesIn(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

function parseNetwork(text: string): Network {
  const [ip = '', bits = isIP(ip) === 6 ? '128' : '32', ...rest] = text.trim().split('/');
  if (isIP(ip) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (isIP(ip) === 6 ? 128 : 32) || rest.length > 0) {
    throw new Error(`"${text}" is not a network. Write it like 10.0.0.0/8 or fd00::/8.`);
  }
  return [ipaddr.parse(ip), Number(bits)];
}
