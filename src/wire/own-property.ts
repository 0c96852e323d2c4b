/**
 * Returns the entry of a table for a word from a request. A plain object also has `toString` and the other names of
 * `Object.prototype`. These are not entries of the table, so this function does not return them.
 */
export const ownProperty = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;
