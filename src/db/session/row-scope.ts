/**
 * The scope of a statement: the teams and organisations whose rows the statement sees. The row-level-security policies
 * read the scope from the settings of the connection.
 */
export type Scope = {
  /** Equal scopes have equal keys. */
  key: string;
  /** The values of phial.team, phial.org and phial.across. */
  settings: [team: string, org: string, across: string];
};

/** The scope that sees only rows without a team or organisation, such as the catalogue. */
export const NOBODY: Scope = { key: 'nobody', settings: ['', '', ''] };

export const EVERY_TEAM: Scope = { key: 'across', settings: ['', '', 'on'] };

export const ofTeam = (id: string): Scope => ({ key: `team ${id}`, settings: [id, '', ''] });

/** Returns the scope of a team together with the rows of its organisation, for callers that manage the team. */
export const ofManagedTeam = (id: string, orgId: string): Scope => ({
  key: `team ${id} of ${orgId}`,
  settings: [id, orgId, ''],
});

/** Returns the scope of an organisation: its teams and their keys, but not the rows of the teams. */
export const ofOrg = (id: string): Scope => ({ key: `org ${id}`, settings: ['', id, ''] });
