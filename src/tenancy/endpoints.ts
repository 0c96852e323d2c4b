import { keyEndpoints } from './keys/endpoints.ts';
import { teamEndpoints } from './teams/endpoints.ts';

/** The management API of organisations. */
export const managementEndpoints = [...teamEndpoints, ...keyEndpoints];
