/**
 * Returns an array in PostgreSQL's text form. The items must need no quotes: ids, numbers or words of letters. pg would
 * search each character of each item for something to quote, which is most of the work for a large array.
 */
export const plainArray = (items: readonly (string | number | null)[]): string =>
  `{${items.map((item) => item ?? 'NULL').join(',')}}`;
