import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { EVERY_MS } from '../../parts/team-status.ts';

export function useUserCount() {
  const { team_id } = useTeamPath();
  return useQuery({
    queryKey: ['users', 'count', team_id],
    queryFn: () => unwrap(phial.GET('/v2/user/metrics')),
    refetchInterval: EVERY_MS,
  });
}
