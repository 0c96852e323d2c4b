/** Bytes of texts that the queries of one request may still use, all together: each query takes its own away. */
export type ByteAllowance = {
  /** Sealed bytes that are read and opened. */
  opened: number;
  /** Bytes of the texts in the tables of the answer. */
  answered: number;
};

const MEBIBYTE = 1024 * 1024;

export const newByteAllowance = (): ByteAllowance => ({ opened: 16 * MEBIBYTE, answered: 4 * MEBIBYTE });
