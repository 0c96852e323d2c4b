/** How many bytes the queries of one request may still use together. Each query subtracts what it used. */
export type ByteAllowance = {
  /** The bytes of encrypted texts that the process may still read and decrypt. */
  opened: number;
  /** The bytes of texts that the tables of the response may still have. */
  answered: number;
};

const MEBIBYTE = 1024 * 1024;

export const newByteAllowance = (): ByteAllowance => ({ opened: 16 * MEBIBYTE, answered: 4 * MEBIBYTE });
