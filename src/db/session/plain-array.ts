/**
 * An array as PostgreSQL writes it, of ids, numbers and words of letters: what needs no quotes. pg looks at each character of each item
 * for what does, which is most of what a large array costs.
 */
export const plainArray = (items: readonly (string | number | null)[]): string =>
  `{${items.map((item) => item ?? 'NULL').join(',')}}`;
