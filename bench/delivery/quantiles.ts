export type Quantiles = { p50: number; p99: number };

export function quantiles(values: number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

export const describeQuantiles = ({ p50, p99 }: Quantiles): string => `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}`;
