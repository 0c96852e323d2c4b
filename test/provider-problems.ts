// Finds what is wrong with a request to a provider's stand-in.
import { DOCUMENTED } from './providers/documented-providers.ts';
import type { ProviderRequest, Values } from './providers/checks.ts';

/** An application is named after its provider; a further one has its own name after that. */
const clientOf = (id: string | undefined): string => (id ?? '').replace(/^client-of-(\w+)(-.*)?$/, '$1');

/** What is wrong with a browser's request to a provider's page; null where it is right. */
export function problemOfAuthorisation(path: string, query: Values, scope: string | null): string | null {
  const facts = DOCUMENTED[clientOf(query['client_id'])];
  if (!facts) return `unknown client ${query['client_id']}`;
  if (facts.authorise.path !== path) return `${path} is no consent page`;
  const needed = { response_type: 'code', ...facts.authorise.query, ...(scope !== null && { scope }) };
  for (const [name, value] of Object.entries(needed))
    if (query[name] !== value) return `${name}=${query[name]} is not accepted`;
  if ('code_challenge_method' in needed !== 'code_challenge' in query) return 'the PKCE challenge is wrong';
  for (const name of ['redirect_uri', 'state']) if (!query[name]) return `${name} is missing`;
  return (query['state'] ?? '').length >= 8 ? null : 'the state is too short';
}

/** What is wrong with a request for tokens. */
export function problemOfTokenRequest(path: string, fields: Values, authorization: string | undefined): string | null {
  const [, pair = ''] = /^Basic (.+)$/.exec(authorization ?? '') ?? [];
  const [basic] = Buffer.from(pair, 'base64').toString().split(':');
  const slug = clientOf(fields['client_id'] ?? basic);
  const facts = DOCUMENTED[slug]?.token;
  if (!facts) return `unknown client ${slug}`;
  if (facts.path !== path) return `${path} is no token address`;
  if ((facts.client === 'basic') !== (pair !== ''))
    return 'the client id and secret are in the wrong part of the request';
  const isRenewal = fields['grant_type'] === 'refresh_token';
  for (const [name, value] of Object.entries({ ...facts.fields, ...(isRenewal ? facts.renewal : {}) }))
    if (fields[name] !== value) return `${name}=${fields[name]} is not accepted`;
  return isRenewal || fields['grant_type'] === 'authorization_code' ? null : `grant_type=${fields['grant_type']}`;
}

/** Whether this is the token address of any provider. */
export const isTokenPath = (path: string): boolean =>
  Object.values(DOCUMENTED).some(({ token }) => token.path === path);

/** What is wrong with any other call: no provider has it, or not with these parameters. */
export function problemOfCall(asked: ProviderRequest): string | null {
  const call = `${asked.method} ${asked.path}`;
  const found = Object.values(DOCUMENTED).flatMap(({ calls }) => calls.filter(([pattern]) => pattern.test(call)));
  if (found.length === 0) return `${call} is no call of any provider`;
  const problems = found.map(([, check]) => check?.(asked) ?? null);
  return problems.includes(null) ? null : `${call}: ${problems[0]}`;
}
