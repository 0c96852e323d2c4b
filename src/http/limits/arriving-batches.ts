import { AppError } from '../../errors.ts';
import type { Owner } from '../../fair/round-robin.ts';
import { Threshold } from '../../fair/threshold.ts';

const MEBIBYTE = 1024 * 1024;
/** The most bytes of batch bodies in one process. The process keeps a body in memory until its response is sent. */
const MAX_BYTES = 128 * MEBIBYTE;

/**
 * Counts the bytes of batch bodies that are arriving or that wait for the batch scheduler. We read a body only when
 * this counter allows it.
 */
export class ArrivingBatches {
  readonly #bytes = new Threshold(MAX_BYTES);

  /**
   * Reserves memory for `bytes`. The caller calls the returned function to release it. Throws not_ready if too many
   * bytes are reserved.
   */
  take(owner: Owner, bytes: number): () => void {
    if (!this.#bytes.take(owner, bytes))
      throw new AppError('not_ready', 'Too many bytes of batches are arriving. Send this one again shortly.');
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#bytes.release(owner, bytes);
    };
  }
}
