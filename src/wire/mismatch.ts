/**
 * The error text for a text that does not match the pattern of its schema. A schema has it as `mismatch` if the pattern
 * itself would not help a reader.
 */
export type Mismatch = {
  msg: string;
  /**
   * The allowed texts, if all of them are public. The error then repeats the given text and suggests the most similar
   * name.
   */
  names?: readonly string[];
};
