import { createHash } from 'node:crypto';

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The id that the simulated laboratory gives the sample of an order. */
export function sampleIdOf(orderId: string): string {
  const digest = createHash('sha256').update(`sample ${orderId}`).digest();
  return `SIM${[...digest.subarray(0, 12)].map((byte) => LETTERS[byte % 32]).join('')}`;
}
