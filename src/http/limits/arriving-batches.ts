import { AppError } from '../../errors.ts';
import type { Owner } from '../../fair/round-robin.ts';
import { Threshold } from '../../fair/threshold.ts';

const MEBIBYTE = 1024 * 1024;
/** Of one process, which has the bodies of batches in memory until they are answered. */
const MOST_BYTES = 128 * MEBIBYTE;

/** Bytes of the bodies of batches that arrive or wait for their turn: none is read for which there is no room. */
export class ArrivingBatches {
  readonly #bytes = new Threshold(MOST_BYTES);

  /** Sets room aside until what it gives is called. Throws not_ready. */
  take(owner: Owner, bytes: number): () => void {
    if (!this.#bytes.take(owner, bytes))
      throw new AppError('not_ready', 'Too much of batches is on its way here. Send this one again shortly.');
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#bytes.giveBack(owner, bytes);
    };
  }
}
