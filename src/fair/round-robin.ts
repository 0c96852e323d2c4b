import { TransientMap } from '../transient-map.ts';

/** Whose something is. Where it is no team's, `team` is the id of what stands in its stead, as of a management key. */
export type Owner = { readonly org: string; readonly team: string };

/** The team as an owner. */
export const ownerOf = ({ id, org_id }: { id: string; org_id: string }): Owner => ({ org: org_id, team: id });

/** Which of those that wait may have a turn now. A team is asked about only where its organisation may. */
export type May = { org: (org: string) => boolean; team: (owner: Owner) => boolean };

/** Organisations, their teams and what waits of each team. Each level is in the order of turns. */
type Waiting<T> = TransientMap<string, TransientMap<string, T[]>>;

/**
 * The order in which waiting items have their turn: organisations take turns, within an organisation its teams take
 * turns, and
 * the items of one team come in the order in which they arrived. Who had a turn goes to the end, and who begins to wait
 * joins
 * there. Hence an owner's next turn comes after at most one turn of each other owner, however many there are and
 * however much
 * they wait for. Who may not have a turn now is passed over and keeps its place.
 */
export class RoundRobin<T> {
  readonly #orgs: Waiting<T> = new TransientMap();
  #size = 0;

  /** How many items wait. */
  get size(): number {
    return this.#size;
  }

  /** How many items of the team wait. */
  waitingOf({ org, team }: Owner): number {
    return this.#orgs.get(org)?.get(team)?.length ?? 0;
  }

  add(owner: Owner, item: T): void {
    this.#itemsOf(owner).push(item);
    this.#size += 1;
  }

  /** Whether anything waits of an organisation that is such. */
  has(isSuch: (org: string) => boolean): boolean {
    return [...this.#orgs.keys()].some(isSuch);
  }

  /** False where it does not wait. */
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

  /** Takes the item whose turn it is; undefined where nothing waits that may have one. */
  next(may: May = ANYBODY): { owner: Owner; item: T } | undefined {
    for (const [org, teams] of this.#orgs) {
      if (!may.org(org)) continue;
      for (const [team, items] of teams) {
        const owner = { org, team };
        if (!may.team(owner)) continue;
        const item = items.shift() as T;
        this.#size -= 1;
        putLast(teams, team, items, items.length);
        putLast(this.#orgs, org, teams, teams.size);
        return { owner, item };
      }
    }
    return undefined;
  }

  /** All that waits, in the order of turns; what is added meanwhile comes too. */
  *inTurn(): Generator<T> {
    for (let turn = this.next(); turn; turn = this.next()) yield turn.item;
  }

  /**
   * Behind all others also with what it has waiting by now, as where one has a turn at a time and its turn took long.
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

const ANYBODY: May = { org: () => true, team: () => true };

/** Behind all others, or nowhere where nothing is left of it. */
function putLast<V>(turns: TransientMap<string, V>, key: string, value: V, left: number): void {
  turns.delete(key);
  if (left > 0) turns.set(key, value);
}
