import type { AlignedData } from 'uplot';

type Points = { at: readonly number[]; values: readonly (number | null)[] };

/** Puts rows with moments of their own on one axis. Where a row has no value, it has null. */
export function align(rows: readonly Points[]): AlignedData {
  const [only] = rows;
  if (only && rows.length === 1) return [only.at as number[], only.values as (number | null)[]];
  const moments = [...new Set(rows.flatMap(({ at }) => at as number[]))].toSorted((one, other) => one - other);
  const position = new Map(moments.map((at, n) => [at, n]));
  const aligned = rows.map(({ at, values }) => {
    const row = Array.from<number | null>({ length: moments.length }).fill(null);
    for (const [n, moment] of at.entries()) row[position.get(moment) as number] = values[n] ?? null;
    return row;
  });
  return [moments, ...aligned];
}

/** Colours that people with any colour vision tell apart, on light and on dark ground. */
const COLOURS: readonly (readonly [string, string])[] = [
  ['#1f7073', '#5fbaba'],
  ['#a1461f', '#f0a07a'],
  ['#5b4b9a', '#b3a7ec'],
  ['#7a5b00', '#dcbd5c'],
  ['#17588f', '#8cc4f2'],
];
export const colourOf = (n: number): readonly [string, string] =>
  COLOURS[n % COLOURS.length] as readonly [string, string];
