import type { Aside } from '../../bulk-work.ts';
import { AppError } from '../../errors.ts';

/** More of one team than this wait for nothing: their clients have given up before their turn comes. */
const MOST_WAITING = 1_000;

/** Held by one team at most, so that a request of another finds a place at once. */
const MOST_OF_ALL = 3 / 4;

/** What one team holds and waits for. */
type Team = { held: number; waiting: (() => void)[] };

/**
 * Places for the requests under way in this process, about as many as its pool has connections. Whoever is alone may
 * have most of them; as soon as others wait, a place that comes free goes to the team that holds the fewest.
 */
export class RequestShares {
  readonly #teams = new Map<string, Team>();
  readonly #most: number;
  #free: number;

  constructor(places: number) {
    this.#free = places;
    this.#most = Math.max(1, Math.floor(places * MOST_OF_ALL));
  }

  /**
   * Runs `work` in a place of the team's; throws not_ready where too much of the team waits already. With `aside` it gives
   * the place back for as long as it waits for something else, and then waits for one as any other.
   */
  async run<T>(teamId: string, work: (aside: Aside) => Promise<T>): Promise<T> {
    await this.#enter(teamId);
    let holds = true;
    try {
      return await work(async (pause) => {
        this.#leave(teamId);
        holds = false;
        const result = await pause();
        await this.#enter(teamId);
        holds = true;
        return result;
      });
    } finally {
      if (holds) this.#leave(teamId);
    }
  }

  #enter(teamId: string): Promise<void> | void {
    const team = this.#teams.get(teamId) ?? { held: 0, waiting: [] };
    this.#teams.set(teamId, team);
    if (this.#free > 0 && team.held < this.#most && team.waiting.length === 0) return this.#give(team);
    if (team.waiting.length >= MOST_WAITING) {
      throw new AppError('not_ready', 'Too many requests of this team wait here. Send this one again shortly.');
    }
    return new Promise((resolve) => team.waiting.push(resolve));
  }

  #give(team: Team): void {
    team.held += 1;
    this.#free -= 1;
  }

  #leave(teamId: string): void {
    const team = this.#teams.get(teamId) as Team;
    team.held -= 1;
    this.#free += 1;
    if (team.held === 0 && team.waiting.length === 0) this.#teams.delete(teamId);
    const next = this.#poorestWaiting();
    if (!next) return;
    this.#give(next);
    next.waiting.shift()?.();
  }

  /** Few teams have anything under way at one moment, so looking at each costs less than keeping an order. */
  #poorestWaiting(): Team | null {
    let poorest: Team | null = null;
    for (const team of this.#teams.values()) {
      if (team.waiting.length === 0 || team.held >= this.#most) continue;
      if (!poorest || team.held < poorest.held) poorest = team;
    }
    return poorest;
  }
}
