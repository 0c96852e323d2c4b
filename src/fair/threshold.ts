import { Held } from './held.ts';
import type { Owner } from './round-robin.ts';

/**
 * Shares out a fixed amount, of places or of bytes, by what is free: an organisation holds at most half as much as is
 * free, and a team
 * at most twice as much as is left of that. A team alone comes to a quarter of everything, an organisation alone to a
 * third, n
 * organisations with a team each to a part in n + 3; and however many hold much, a newcomer finds something free. It is
 * the
 * dynamic threshold by which switches share their buffers (Choudhury and Hahne, 1998), once for each level.
 */
export class Threshold {
  readonly #most: number;
  readonly #held = new Held();

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#held.all;
  }

  /**
   * How much more the owner may take as things stand: one at least where its organisation has nothing and something is
   * free.
   */
  roomFor(owner: Owner): number {
    const free = this.#most - this.#held.all;
    if (free <= 0) return 0;
    const ofOrg = this.#held.ofOrg(owner.org);
    // Each one taken makes one fewer free, and one fewer left of the organisation's.
    const room = Math.ceil((free - 2 * ofOrg - this.#held.ofTeam(owner)) / 4);
    return Math.max(ofOrg === 0 ? 1 : 0, room);
  }

  /**
   * False, and nothing is taken, where the owner has its share. Of an organisation that holds nothing, whatever is
   * free is enough.
   */
  take(owner: Owner, amount = 1): boolean {
    const room = this.#held.ofOrg(owner.org) === 0 ? this.#most - this.#held.all : this.roomFor(owner);
    if (amount > room) return false;
    this.hold(owner, amount);
    return true;
  }

  /** Takes it whatever is free, as what is there already. */
  hold(owner: Owner, amount: number): void {
    this.#held.add(owner, amount);
  }

  giveBack(owner: Owner, amount = 1): void {
    this.#held.add(owner, -amount);
  }
}
