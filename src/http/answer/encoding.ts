import { weightsOf } from '../media.ts';

/** What answers can be encoded as, other than as they are. */
export type Coding = 'br' | 'gzip';

/**
 * The one of `offered` that an Accept-Encoding header likes best, the first of several; null where the answer goes as it is
 * (RFC 9110 12.5.3).
 */
export function codingFor(acceptEncoding: string | undefined, offered: readonly Coding[]): Coding | null {
  if (acceptEncoding === undefined) return null;
  const weights = weightsOf(acceptEncoding);
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const asIs = weights.get('identity') ?? 0;
  const taken = offered.filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= asIs);
  return taken.toSorted((a, b) => weightOf(b) - weightOf(a))[0] ?? null;
}
