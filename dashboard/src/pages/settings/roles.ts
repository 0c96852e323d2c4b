const NAMES = { org_admin: 'The whole organisation', team_admin: 'Its own teams', no_role: 'Nothing yet' };

export const nameOfRole = (role: keyof typeof NAMES): string => NAMES[role];

/** The roles that can be given here: for the chosen team, or for everything. */
export const roleOptions = (teamName: string): { value: 'org_admin' | 'team_admin'; label: string }[] => [
  { value: 'team_admin', label: `The team ${teamName}` },
  { value: 'org_admin', label: 'The whole organisation' },
];
