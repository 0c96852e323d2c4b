import { AppError } from '../../errors.ts';

const MEBIBYTE = 1024 * 1024;
/** Of one process, which has the bodies of batches in memory until they are answered. */
const MOST_BYTES = 128 * MEBIBYTE;
const MOST_BYTES_OF_A_TEAM = MOST_BYTES / 4;

/** Bytes of the bodies of batches that arrive or wait for their turn: none is read for which there is no room. */
export class ArrivingBatches {
  readonly #ofTeams = new Map<string, number>();
  #all = 0;

  /** Sets room aside until what it gives is called. Throws not_ready. */
  take(team: string, bytes: number): () => void {
    const ofTeam = (this.#ofTeams.get(team) ?? 0) + bytes;
    if (ofTeam > MOST_BYTES_OF_A_TEAM || this.#all + bytes > MOST_BYTES)
      throw new AppError('not_ready', 'Too much of batches is on its way here. Send this one again shortly.');
    this.#ofTeams.set(team, ofTeam);
    this.#all += bytes;
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#all -= bytes;
      const left = (this.#ofTeams.get(team) ?? bytes) - bytes;
      if (left > 0) this.#ofTeams.set(team, left);
      else this.#ofTeams.delete(team);
    };
  }
}
