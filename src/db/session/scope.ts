/** Whose rows the statements of a connection see, as the policies of row-level security read it. */
export type Scope = {
  /** Equal scopes have equal keys. */
  key: string;
  /** Values of phial.team, phial.org and phial.across. */
  settings: [team: string, org: string, across: string];
};

/** Sees only what belongs to nobody, such as the catalogue. */
export const NOBODY: Scope = { key: 'nobody', settings: ['', '', ''] };

export const EVERY_TEAM: Scope = { key: 'across', settings: ['', '', 'on'] };

export const ofTeam = (id: string): Scope => ({ key: `team ${id}`, settings: [id, '', ''] });

/** A team, and what belongs to its organisation: for those who manage it. */
export const ofManagedTeam = (id: string, orgId: string): Scope => ({
  key: `team ${id} of ${orgId}`,
  settings: [id, orgId, ''],
});

/** What belongs to the organisation itself: its teams and their keys, not the teams' rows. */
export const ofOrg = (id: string): Scope => ({ key: `org ${id}`, settings: ['', id, ''] });
