import { accessTokenEndpoints } from './access-tokens/endpoints.ts';
import { domainEndpoints } from './domains/endpoints.ts';
import { ehrEndpoints } from './ehr/endpoints.ts';
import { keyEndpoints } from './keys/endpoints.ts';
import { memberEndpoints } from './members/endpoints.ts';
import { orgEndpoints } from './orgs/endpoints.ts';
import { deletionEndpoints } from './teams/deletion/endpoints.ts';
import { ownTeamEndpoints, teamEndpoints } from './teams/endpoints.ts';

/** What a key can ask of its team, and the management API of organisations. */
export const managementEndpoints = [
  ...ownTeamEndpoints,
  ...orgEndpoints,
  ...teamEndpoints,
  ...deletionEndpoints,
  ...keyEndpoints,
  ...accessTokenEndpoints,
  ...memberEndpoints,
  ...domainEndpoints,
  ...ehrEndpoints,
];
