import { phial, unwrap } from '../../api/client.ts';
import type { useTeamPath } from '../../api/session.tsx';

export const endpointQuery = (path: ReturnType<typeof useTeamPath>, webhook_id: string) => ({
  queryKey: ['webhook', path.team_id, webhook_id],
  queryFn: () =>
    unwrap(
      phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}', {
        params: { path: { ...path, webhook_id } },
      }),
    ),
});

export type Endpoint = Awaited<ReturnType<ReturnType<typeof endpointQuery>['queryFn']>>;
