import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../api/client.ts';
import { useTeamPath } from '../api/session.tsx';

/** Orders by status, and what of them and their results waits for somebody. */
export function useOrderCounts() {
  const { team_id } = useTeamPath();
  return useQuery({
    queryKey: ['order_counts', team_id],
    queryFn: () => unwrap(phial.GET('/v3/order_counts')),
    refetchInterval: 30_000,
  });
}
