import { createHash } from 'node:crypto';

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Returns the sample id that the simulated laboratory assigns to an order. */
export function sampleIdOf(orderId: string): string {
  const digest = createHash('sha256').update(`sample ${orderId}`).digest();
  return `SIM${[...digest.subarray(0, 12)].map((byte) => LETTERS[byte % 32]).join('')}`;
}
