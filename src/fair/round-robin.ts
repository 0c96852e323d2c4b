import { TransientMap } from '../transient-map.ts';

/** The owner of work. If the work belongs to no team, `team` is another id, such as that of a management key. */
export type Owner = { readonly org: string; readonly team: string };

export const ownerOf = ({ id, org_id }: { id: string; org_id: string }): Owner => ({ org: org_id, team: id });

/** Decides which waiting items may be next. `team` is called only if `org` returned true for its organisation. */
export type Eligible = { org: (org: string) => boolean; team: (owner: Owner) => boolean };

/**
 * The waiting items of each team, by organisation and then by team. Organisations, teams and items are in round-robin
 * order.
 */
type WaitingByOwner<T> = TransientMap<string, TransientMap<string, T[]>>;

/**
 * Orders waiting items in round robin, by organisation and then by team. The items of one team stay in their order of
 * arrival. An owner that was served goes to the end, and a new owner starts at the end. So between two times that an
 * owner is served, each other owner is served at most once, however many owners and items wait. An owner that may not
 * be served now keeps its position.
 */
export class RoundRobin<T> {
  readonly #orgs: WaitingByOwner<T> = new TransientMap();
  #size = 0;

  /** The number of waiting items. */
  get size(): number {
    return this.#size;
  }

  /** The number of waiting items of a team. */
  waitingOf({ org, team }: Owner): number {
    return this.#orgs.get(org)?.get(team)?.length ?? 0;
  }

  add(owner: Owner, item: T): void {
    this.#itemsOf(owner).push(item);
    this.#size += 1;
  }

  /** Returns true if an organisation with waiting items meets the condition. */
  has(isSuch: (org: string) => boolean): boolean {
    return [...this.#orgs.keys()].some(isSuch);
  }

  /** Removes a waiting item. Returns false if the item is not waiting. */
  remove({ org, team }: Owner, item: T): boolean {
    const teams = this.#orgs.get(org);
    const items = teams?.get(team);
    const at = items?.indexOf(item) ?? -1;
    if (!teams || !items || at === -1) return false;
    items.splice(at, 1);
    this.#size -= 1;
    if (items.length === 0) teams.delete(team);
    if (teams.size === 0) this.#orgs.delete(org);
    return true;
  }

  /** Takes the next item. Returns undefined if no waiting item may be next. */
  next(eligible: Eligible = ANYBODY): { owner: Owner; item: T } | undefined {
    for (const [org, teams] of this.#orgs) {
      if (!eligible.org(org)) continue;
      for (const [team, items] of teams) {
        const owner = { org, team };
        if (!eligible.team(owner)) continue;
        const item = items.shift() as T;
        this.#size -= 1;
        putLast(teams, team, items, items.length);
        putLast(this.#orgs, org, teams, teams.size);
        return { owner, item };
      }
    }
    return undefined;
  }

  /** Takes all waiting items in round-robin order, including items that are added during the iteration. */
  *drain(): Generator<T> {
    for (let next = this.next(); next; next = this.next()) yield next.item;
  }

  /**
   * Moves an owner with waiting items to the end again. Use it if serving one item takes long, because new owners may
   * have come meanwhile.
   */
  putLast({ org, team }: Owner): void {
    const teams = this.#orgs.get(org);
    if (!teams) return;
    const items = teams.get(team);
    if (items) putLast(teams, team, items, items.length);
    putLast(this.#orgs, org, teams, teams.size);
  }

  #itemsOf({ org, team }: Owner): T[] {
    let teams = this.#orgs.get(org);
    if (!teams) this.#orgs.set(org, (teams = new TransientMap()));
    let items = teams.get(team);
    if (!items) teams.set(team, (items = []));
    return items;
  }
}

const ANYBODY: Eligible = { org: () => true, team: () => true };

/** Moves a key to the end, or removes it if nothing is left of it. */
function putLast<V>(queue: TransientMap<string, V>, key: string, value: V, left: number): void {
  queue.delete(key);
  if (left > 0) queue.set(key, value);
}
