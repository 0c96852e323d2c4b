/**
 * Returns the entry of a table for a word from a request. The word may be `toString`, which every JavaScript object
 * has. This function returns only entries of the table itself.
 */
export const ownProperty = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;
