/**
 * What is told of text that breaks the pattern of its schema, where the pattern itself would tell nobody anything: the schema carries
 * it as `mismatch`.
 */
export type Mismatch = {
  msg: string;
  /** What the text may be, where all of that is public: the text is then repeated, with the name that was most likely meant. */
  names?: readonly string[];
};
