import { TransientMap } from '../transient-map.ts';
import type { Owner } from './round-robin.ts';

type UsageOfOrg = { all: number; teams: TransientMap<string, number> };

/** Counts how much of a shared amount is in use: in total, by organisation and by team. */
export class UsageByOwner {
  readonly #orgs = new TransientMap<string, UsageOfOrg>();
  #all = 0;

  get all(): number {
    return this.#all;
  }

  ofOrg(org: string): number {
    return this.#orgs.get(org)?.all ?? 0;
  }

  ofTeam({ org, team }: Owner): number {
    return this.#orgs.get(org)?.teams.get(team) ?? 0;
  }

  add({ org, team }: Owner, amount: number): void {
    let ofOrg = this.#orgs.get(org);
    if (!ofOrg) this.#orgs.set(org, (ofOrg = { all: 0, teams: new TransientMap() }));
    const ofTeam = (ofOrg.teams.get(team) ?? 0) + amount;
    ofOrg.all += amount;
    this.#all += amount;
    if (ofTeam > 0) ofOrg.teams.set(team, ofTeam);
    else ofOrg.teams.delete(team);
    if (ofOrg.all <= 0) this.#orgs.delete(org);
  }
}
