import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * An IPv6 network is the first four 16-bit groups of an address (a /64). A client with one address of a /64 usually has
 * all of them.
 */
const GROUPS_OF_A_NETWORK = 4;

/**
 * Returns the network of an address: an IPv4 address itself, or the /64 of an IPv6 address. Limits for anonymous
 * callers treat a network as one caller. If a connection was reset before we read its address, the network is the empty
 * string.
 */
export function networkOf(address: string | undefined): string {
  const plain = address?.split('%', 1)[0] ?? '';
  if (!isIPv6(plain)) return plain;
  const read = ipaddr.process(plain);
  if (read instanceof ipaddr.IPv4) return read.toString();
  return `${read.parts
    .slice(0, GROUPS_OF_A_NETWORK)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
