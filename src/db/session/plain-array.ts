/**
 * Returns an array in PostgreSQL's text form. The items must be ids, numbers or words of letters, because these need no
 * quotes. pg checks each character of each item for quotes, which is most of the work for a large array.
 */
export const plainArray = (items: readonly (string | number | null)[]): string =>
  `{${items.map((item) => item ?? 'NULL').join(',')}}`;
