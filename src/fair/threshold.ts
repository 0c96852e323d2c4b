import { UsageByOwner } from './usage-by-owner.ts';
import type { Owner } from './round-robin.ts';

/**
 * Shares a fixed amount, such as permits or bytes. The limits depend on how much is free. An organisation can have at
 * most half as much as is free in total. A team can have at most twice as much as its organisation can still take. So
 * the only team of the only organisation gets a quarter of everything, and a single organisation with many teams gets a
 * third. Each of n organisations with one team gets 1 / (n + 3). A new owner always finds something free.
 * This is the dynamic threshold with which network switches share their buffers (Choudhury and Hahne, 1998). We apply
 * it to organisations and again to teams.
 */
export class Threshold {
  readonly #most: number;
  readonly #inUse = new UsageByOwner();

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#inUse.all;
  }

  /**
   * Returns how much more the owner can take now. Returns at least one if the organisation has nothing and something is
   * free.
   */
  capacityFor(owner: Owner): number {
    const free = this.#most - this.#inUse.all;
    if (free <= 0) return 0;
    const ofOrg = this.#inUse.ofOrg(owner.org);
    // The largest amount n for which the team is within its limit: ofTeam + n <= 2 * ((free - n) / 2 - (ofOrg + n)).
    const capacity = Math.ceil((free - 2 * ofOrg - this.#inUse.ofTeam(owner)) / 4);
    return Math.max(ofOrg === 0 ? 1 : 0, capacity);
  }

  /**
   * Takes the amount. Returns false and takes nothing if the owner already has its share. An organisation that has
   * nothing may take any amount that is free.
   */
  take(owner: Owner, amount = 1): boolean {
    const capacity = this.#inUse.ofOrg(owner.org) === 0 ? this.#most - this.#inUse.all : this.capacityFor(owner);
    if (amount > capacity) return false;
    this.takeUnchecked(owner, amount);
    return true;
  }

  /** Takes an amount without a check, for example one that is already in use when this process starts to count. */
  takeUnchecked(owner: Owner, amount: number): void {
    this.#inUse.add(owner, amount);
  }

  release(owner: Owner, amount = 1): void {
    this.#inUse.add(owner, -amount);
  }
}
