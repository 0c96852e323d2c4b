import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../api/client.ts';
import { useTeamPath } from '../api/session.tsx';

/** How often the figures are read again while somebody looks at them. */
export const EVERY_MS = 30_000;

/** Deliveries, connections, samples, and what waits between the team and its laboratories. */
export function useTeamStatus() {
  const path = useTeamPath();
  return useQuery({
    queryKey: ['team_status', path.team_id],
    queryFn: () => unwrap(phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/status', { params: { path } })),
    refetchInterval: EVERY_MS,
  });
}
