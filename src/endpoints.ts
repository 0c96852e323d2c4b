import type { Endpoint } from './http/endpoint.ts';
import { userEndpoints } from './users/endpoints.ts';

/** Every operation of the service, in the order of its documentation. */
export const endpoints: Endpoint[] = [
  ...userEndpoints,
];
