import { createHash } from 'node:crypto';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { FairShare } from '../../../fair/fair-share.ts';
import { ownerOf } from '../../../fair/round-robin.ts';
import { draw, type Drawing } from './draw-document.ts';
import { DrawnDocuments } from './drawn-documents.ts';
import { DrawingThreads, MAX_THREADS, threadProgram } from './threads.ts';

/** The most documents that one thread draws at the same time. The thread draws one page of each in round robin. */
const OF_A_THREAD = 4;
const PERMITS = MAX_THREADS * OF_A_THREAD;
/**
 * The most documents of one team that may wait. In a longer queue, the last clients would give up before we draw their
 * document.
 */
const MAX_WAITING = 50;

/**
 * Draws documents in round robin by organisation and team. Requests for the same data share one document while it is
 * being drawn and while it is cached.
 */
export class Printer {
  readonly #draw: (drawing: Drawing) => Promise<Buffer>;
  readonly #documents = new DrawnDocuments();
  readonly #underWay = new Map<string, Promise<Buffer>>();
  readonly #permits = new FairShare({
    permits: PERMITS,
    maxOfOrg: PERMITS / 2,
    maxOfTeam: PERMITS / 4,
    maxWaiting: MAX_WAITING,
    refuse: () =>
      new AppError('not_ready', 'Too many documents of this team are being made here. Ask for this one again shortly.'),
  });

  constructor(drawIt: (drawing: Drawing) => Promise<Buffer>) {
    this.#draw = drawIt;
  }

  /**
   * Returns a document as bytes: from the cache, or by drawing it. Until the document is drawn, the HTTP request gives
   * its permit (its right to be handled) to other requests. Otherwise labels for many tubes would delay all other
   * requests of the team.
   */
  print({ team, aside }: TeamCtx, drawing: Drawing): Promise<Buffer> {
    const key = keyOf(team.id, drawing);
    const known = this.#documents.get(key);
    if (known) return Promise.resolve(known);
    const make = (): Promise<Buffer> => this.#underWay.get(key) ?? this.#begin(key, team, drawing);
    return aside ? aside(make) : make();
  }

  async #begin(key: string, team: TeamCtx['team'], drawing: Drawing): Promise<Buffer> {
    const drawn = this.#permits.run(ownerOf(team), () => this.#draw(drawing));
    this.#underWay.set(key, drawn);
    try {
      const bytes = await drawn;
      this.#documents.put(key, team.id, bytes);
      return bytes;
    } finally {
      this.#underWay.delete(key);
    }
  }
}

/**
 * Returns the cache key of a document: a hash of its team and all its data. The hash does not reveal the data. If any
 * of the data changes, the hash changes.
 */
const keyOf = (teamId: string, drawing: Drawing): string =>
  createHash('sha256')
    .update(`${teamId} ${JSON.stringify(drawing)}`)
    .digest('base64');

const program = threadProgram();
const threads = program && new DrawingThreads(program);
/**
 * The printer of this process. If the service runs from its sources, for example in tests, the printer draws without
 * threads.
 */
export const printer = new Printer((drawing) => (threads ? threads.draw(drawing) : draw(drawing)));
