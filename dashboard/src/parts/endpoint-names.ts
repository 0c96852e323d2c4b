import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../api/client.ts';
import { useTeamPath } from '../api/session.tsx';

/** The address of an endpoint without its scheme, which is the same for nearly all. */
export const shortAddress = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/$/, '');

/** The host and the last part of a short address: `hooks.example.com/…/orders`. */
export function hostAndEnd(address: string): string {
  const [host = '', ...parts] = address.split('/');
  return parts.length < 2 ? address : `${host}/…/${parts.at(-1)}`;
}

/** Returns a function that names an endpoint by its address. One that was deleted has only the end of its id. */
export function useEndpointName(): (webhookId: string) => string {
  const path = useTeamPath();
  const { data } = useQuery({
    queryKey: ['webhooks', path.team_id, 'names'],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook', {
          params: { path, query: { limit: 100 } },
        }),
      ),
    // Names change seldom, and a page shows many.
    staleTime: 60_000,
    retry: false,
  });
  return (webhookId) => {
    const url = data?.data.find(({ id }) => id === webhookId)?.url;
    return url === undefined ? `Endpoint …${webhookId.slice(-8)}` : shortAddress(url);
  };
}
