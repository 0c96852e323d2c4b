type Role = 'org_admin' | 'team_admin' | 'no_role';
type Bearer = { role: Role; team_role_bindings: { team_id: string }[] | null };
type Teams = readonly { id: string; name: string }[];

export const NOTHING_YET = 'Nothing yet';

/** What somebody administers: the organisation, or these teams. The session lists only the first teams of many. */
export function describeRole({ role, team_role_bindings }: Bearer, teams: Teams): string {
  if (role === 'no_role') return NOTHING_YET;
  if (role === 'org_admin') return 'Administrator of the whole organisation';
  const ids = (team_role_bindings ?? []).map(({ team_id }) => team_id);
  const names = ids.flatMap((each) => teams.find(({ id }) => id === each)?.name ?? []);
  const unnamed = ids.length - names.length;
  const others = unnamed === 0 ? [] : [unnamed === 1 ? 'one other team' : `${unnamed} other teams`];
  return `Administrator of ${[...names, ...others].join(', ') || 'no team'}`;
}

/** The roles that can be given here: for the chosen team, or for everything. */
export const roleOptions = (teamName: string): { value: 'org_admin' | 'team_admin'; label: string }[] => [
  { value: 'team_admin', label: `Administrator of the team ${teamName}` },
  { value: 'org_admin', label: 'Administrator of the whole organisation' },
];
