import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, use, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { bearing, phial, unwrap, type components } from './client.ts';
import { forgetWhatWasRead, SESSION_KEY } from './queries.ts';

export type Session = components['schemas']['SessionDetails'];
export type Team = Session['teams'][number];

type Signed = Session & {
  /** The team whose data the pages show. Null if the person has none yet. */
  team: Team | null;
  chooseTeam: (team: Team) => void;
};

const SignedContext = createContext<Signed | null>(null);

/** Somebody else may sign in in another tab of the same browser. */
const before: { current: string | null } = { current: null };
const personOf = ({ person, org }: Session): string => `${org.id} ${person.member_id}`;

/** Reads who is signed in. A refusal with 401 means: nobody. `again` is how often it asks again, in milliseconds. */
export const useSessionQuery = (again: number | false = false) =>
  useQuery({
    refetchInterval: again,
    queryKey: SESSION_KEY,
    queryFn: async () => {
      const read = await unwrap(phial.GET('/v1/session'));
      if (before.current !== null && before.current !== personOf(read)) forgetWhatWasRead();
      before.current = personOf(read);
      bearing.csrfToken = read.session.csrf_token;
      return read;
    },
    staleTime: 300_000,
  });

/** The choice of a tab. A new tab begins with the newest choice. */
const TEAM_KEY = 'phial.team';
const storedTeam = (): string | null => sessionStorage.getItem(TEAM_KEY) ?? localStorage.getItem(TEAM_KEY);
const storeTeam = (id: string): void => {
  for (const storage of [sessionStorage, localStorage]) storage.setItem(TEAM_KEY, id);
};

/** The team of a person who has chosen none: the oldest, because ids begin with their time. */
const oldestOf = (teams: readonly Team[]): Team | null => teams.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0] ?? null;

/** Reads the chosen team if the session does not list it, which has only the first teams of a person with many. */
function useUnlistedTeam({ org, teams, has_more_teams }: Session, chosen: string | null) {
  const isUnlisted = has_more_teams && chosen !== null && !teams.some(({ id }) => id === chosen);
  return useQuery({
    queryKey: ['session', 'team', chosen],
    queryFn: async (): Promise<Team> => {
      const path = { org_id: org.id, team_id: chosen ?? '' };
      const { id, name } = await unwrap(phial.GET('/v1/org/{org_id}/team/{team_id}', { params: { path } }));
      return { id, name };
    },
    enabled: isUnlisted,
    staleTime: Infinity,
  });
}

/** Gives the pages the session, and each request its team. */
export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState(storedTeam);
  const unlisted = useUnlistedTeam(session, chosen);
  const team = session.teams.find(({ id }) => id === chosen) ?? unlisted.data ?? oldestOf(session.teams);
  bearing.teamId = team?.id ?? null;

  const chooseTeam = useCallback(
    ({ id, name }: Team) => {
      queries.setQueryData(['session', 'team', id], { id, name });
      storeTeam(id);
      bearing.teamId = id;
      setChosen(id);
      // What was read is of the other team.
      forgetWhatWasRead();
    },
    [queries],
  );
  // A team that somebody adds must not change what this person sees.
  useEffect(() => {
    if (chosen === null && team) storeTeam(team.id);
  }, [chosen, team]);
  const signed = useMemo(() => ({ ...session, team, chooseTeam }), [session, team, chooseTeam]);
  // The pages of another team must not show for a moment.
  if (unlisted.isLoading) return null;
  return <SignedContext value={signed}>{children}</SignedContext>;
}

export function useSession(): Signed {
  const signed = use(SignedContext);
  if (!signed) throw new Error('This part is only for pages of somebody who is signed in.');
  return signed;
}

/** Whether the operator of the service is signed in, who may do what no member and no key may. */
export const useIsOperator = (): boolean => useSession().person.kind === 'operator';

/** The parameters that begin the paths of operations on the chosen team. Pages are only shown if there is one. */
export function useTeamPath(): { org_id: string; team_id: string; environment: Session['environment'] } {
  const { org, team, environment } = useSession();
  if (!team) throw new Error('This part is only for pages of a team.');
  return { org_id: org.id, team_id: team.id, environment };
}
