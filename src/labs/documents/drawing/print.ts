import { createHash } from 'node:crypto';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { FairShare } from '../../../fair/fair-share.ts';
import { ownerOf } from '../../../fair/round-robin.ts';
import { draw, type Drawing } from './draw.ts';
import { DrawnDocuments } from './drawn-documents.ts';
import { DrawingThreads, MOST_THREADS, threadProgram } from './threads.ts';

/** Documents that a thread draws side by side, a page of each in turn. */
const OF_A_THREAD = 4;
const PERMITS = MOST_THREADS * OF_A_THREAD;
/** Of one team: clients have given up on what would come later. */
const MOST_WAITING = 50;

/** Draws documents in turns of organisations and teams, each once for the same data. */
export class Printer {
  readonly #draw: (drawing: Drawing) => Promise<Buffer>;
  readonly #documents = new DrawnDocuments();
  readonly #underWay = new Map<string, Promise<Buffer>>();
  readonly #permits = new FairShare({
    permits: PERMITS,
    mostOfOrg: PERMITS / 2,
    mostOfTeam: PERMITS / 4,
    mostWaiting: MOST_WAITING,
    refuse: () =>
      new AppError('not_ready', 'Too many documents of this team are being made here. Ask for this one again shortly.'),
  });

  constructor(drawIt: (drawing: Drawing) => Promise<Buffer>) {
    this.#draw = drawIt;
  }

  /**
   * A document as bytes, drawn now or, of the same data, a while ago. While it waits and is drawn, its request keeps no permit: a
   * rack of labels would else hold up all that the team asks.
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
      this.#documents.keep(key, team.id, bytes);
      return bytes;
    } finally {
      this.#underWay.delete(key);
    }
  }
}

/** Tells all that the document says, and nothing of it: whatever of the data changes makes another key. */
const keyOf = (teamId: string, drawing: Drawing): string =>
  createHash('sha256')
    .update(`${teamId} ${JSON.stringify(drawing)}`)
    .digest('base64');

const program = threadProgram();
const threads = program && new DrawingThreads(program);
/** Of this process. What runs from its sources, as tests do, draws without threads. */
export const printer = new Printer((drawing) => (threads ? threads.draw(drawing) : draw(drawing)));
