import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../errors.ts';

/** A stranger's body that never ends takes nobody's place for longer. */
const LONGEST_ARRIVAL_MS = 5_000;

/**
 * Bodies that are read before it is known who has sent them: anybody may send one. Of each address so many at a time;
 * who comes then is asked to send again, as carriers and schedulers do by themselves.
 */
export class HookBodies {
  readonly #atOnce: number;
  #underWay = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Throws not_ready where too many are being read, or this one does not arrive. */
  async read(body: Readable): Promise<Buffer> {
    if (this.#underWay >= this.#atOnce)
      throw new AppError('not_ready', 'Too much news arrives here. Send this again shortly.');
    this.#underWay += 1;
    const late = setTimeout(() => body.destroy(tooLate()), LONGEST_ARRIVAL_MS);
    try {
      return await buffer(body);
    } finally {
      clearTimeout(late);
      this.#underWay -= 1;
    }
  }
}

const tooLate = (): AppError => new AppError('not_ready', 'The event did not arrive in time. Send it again.');
