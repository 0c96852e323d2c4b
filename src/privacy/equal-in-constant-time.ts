import { timingSafeEqual } from 'node:crypto';

/** Returns true if the texts are equal. The time does not depend on the position of the first difference. */
export function equalInConstantTime(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
