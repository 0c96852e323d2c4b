import type { paths } from '@phial/client';
import createClient from 'openapi-fetch';

export { PhialError, unwrap, type components, type ErrorCode } from '@phial/client';

/** What each request bears beside the cookie of the session. The session and the choice of a team set it. */
export const bearing: { csrfToken: string | null; teamId: string | null } = { csrfToken: null, teamId: null };

/** The interface of the service that serves this page. The browser sends the cookie of the session. */
export const phial = createClient<paths>({
  baseUrl: location.origin,
  credentials: 'same-origin',
  // The service reads a list as a repeated name.
  querySerializer: { array: { style: 'form', explode: true } },
});

phial.use({
  onRequest({ request }) {
    if (bearing.teamId !== null) request.headers.set('x-phial-team', bearing.teamId);
    if (bearing.csrfToken !== null && request.method !== 'GET') request.headers.set('x-csrf-token', bearing.csrfToken);
    return request;
  },
});
