import type { paths } from '@phial/client';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../../api/client.ts';
import { useSession, useTeamPath } from '../../../api/session.tsx';
import { inWords } from '../../../parts/status-badge.tsx';

type Change = paths['/v1/org/{org_id}/team_custom_credentials/{env}/{region}']['post'];
type CredentialsBody = Change['requestBody']['content']['application/json'];
/** Providers of wearable data, laboratories, and the services beside them. */
export type Slug = CredentialsBody['provider'];

/** The providers of wearable data, by name. */
export const useProviders = () =>
  useQuery({
    queryKey: ['providers'],
    queryFn: async () => {
      const providers = await unwrap(phial.GET('/v2/providers'));
      return providers.toSorted((one, other) => one.name.localeCompare(other.name));
    },
    staleTime: 300_000,
  });

/** Returns a function that gives the name of a provider by its slug. */
export function useProviderName(): (slug: string) => string {
  const { data } = useProviders();
  return (slug) => data?.find((provider) => provider.slug === slug)?.name ?? inWords(slug);
}

/** The parameters of paths that name the environment and the region, and the team beside them. */
export function useRegionPath() {
  const { environment, region } = useSession();
  const { org_id, team_id } = useTeamPath();
  return { team_id, path: { org_id, env: environment, region: region as 'us' | 'eu' } };
}
