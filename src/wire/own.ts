/**
 * What a table has by a word that came from outside: a plain object answers to `toString` and the other names of
 * `Object.prototype` as well, with what nobody put there.
 */
export const ownOf = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;
