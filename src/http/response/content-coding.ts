import { weightsOf } from '../../operation/media.ts';

/** The content codings that we can apply to responses. */
export type Coding = 'br' | 'gzip';

/**
 * Returns the coding of `offered` that the Accept-Encoding header prefers (RFC 9110 12.5.3). If two have the same
 * weight, it returns the first. Returns null if we must send the response without a coding.
 */
export function codingFor(acceptEncoding: string | undefined, offered: readonly Coding[]): Coding | null {
  if (acceptEncoding === undefined) return null;
  const weights = weightsOf(acceptEncoding);
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const asIs = weights.get('identity') ?? 0;
  const taken = offered.filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= asIs);
  return taken.toSorted((a, b) => weightOf(b) - weightOf(a))[0] ?? null;
}
