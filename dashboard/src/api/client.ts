import { unwrap, type paths } from '@phial/client';
import createClient from 'openapi-fetch';

export { PhialError, unwrap } from '@phial/client';

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

/** A request of the sign-in, which has no session yet. Throws PhialError for a refusal. */
export async function send<Body>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Body> {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && bearing.csrfToken !== null && { 'x-csrf-token': bearing.csrfToken }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
  const read: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
  return (await unwrap(Promise.resolve({ data: read, error: read, response }))) as Body;
}
