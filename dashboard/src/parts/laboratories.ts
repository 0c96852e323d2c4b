import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../api/client.ts';
import { useTeamPath } from '../api/session.tsx';

/** The laboratories that the team can order at. */
export function useLaboratories() {
  const { team_id } = useTeamPath();
  return useQuery({
    queryKey: ['laboratories', team_id],
    queryFn: () => unwrap(phial.GET('/v3/lab_tests/labs')),
    staleTime: 300_000,
  });
}

/** Returns a function that gives the name of a laboratory by its slug, and the slug while names are awaited. */
export function useLaboratoryName(): (slug: string) => string {
  const { data } = useLaboratories();
  return (slug) => data?.find((lab) => lab.slug === slug)?.name ?? slug;
}
