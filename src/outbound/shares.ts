/**
 * Shares out a fixed number of places among teams. A team may hold a third of what is free: a team alone comes to a
 * quarter of all places, two to a fifth each, a hundred to five each of 512, and however many hang, a newcomer finds
 * one free. It is the dynamic threshold by which switches share their buffers (Choudhury and Hahne, 1998).
 */
export class Shares {
  readonly #places: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(places: number) {
    this.#places = places;
  }

  get taken(): number {
    return this.#taken;
  }

  /** How many more places the team may take as things stand. */
  roomFor(team: string): number {
    const free = this.#places - this.#taken;
    const held = this.#held.get(team) ?? 0;
    if (free <= 0) return 0;
    // Each place taken makes a third of one fewer free.
    return Math.max(held === 0 ? 1 : 0, Math.ceil((free / 3 - held) * (3 / 4)));
  }

  /** False, and nothing is taken, where the team has its share. */
  take(team: string): boolean {
    if (this.roomFor(team) <= 0) return false;
    this.#taken += 1;
    this.#held.set(team, (this.#held.get(team) ?? 0) + 1);
    return true;
  }

  giveBack(team: string): void {
    this.#taken -= 1;
    const left = (this.#held.get(team) ?? 1) - 1;
    if (left <= 0) this.#held.delete(team);
    else this.#held.set(team, left);
  }
}
