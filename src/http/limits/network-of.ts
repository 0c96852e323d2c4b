import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Groups of 16 bits of an IPv6 address that name the network: whoever has one address has all of its /64. */
const GROUPS_OF_A_NETWORK = 4;

/**
 * What counts as one address where strangers share something: an IPv4 address, or the /64 that an IPv6 address lies in. Those
 * whose connections were reset before anybody asked for their addresses share what is left.
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
