import type { Config } from '../../../config/options.ts';
import { ask as send, NoResponse } from '../../../outbound/ask.ts';
import { addressAt, type Configured } from './configured.ts';
import type { Question } from '../../providers/subscriber.ts';
import { ProviderRefused, ProviderUnavailable, refuseError } from '../../providers/provider-errors.ts';

/**
 * Sends one request to a provider. Returns the JSON of the response; null if the body is not JSON. Throws
 * ProviderUnavailable if there is no response or its status is 429 or 5xx, and ProviderRefused for 3xx and other 4xx.
 */
export async function askProvider(
  config: Config,
  configured: Configured,
  { method, url, form, json, headers = {} }: Question,
): Promise<unknown> {
  const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json);
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  const question = {
    method,
    url: addressAt(config, configured, url),
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
  };
  const { status, text } = await send(config, question, { onlyStatus: method === 'DELETE' }).catch((error: unknown) => {
    throw error instanceof NoResponse ? new ProviderUnavailable(error.code) : error;
  });
  if (status === 429 || status >= 500 || status < 200) throw new ProviderUnavailable(`http_${status}`);
  if (status >= 300) throw new ProviderRefused(`http_${status}`);
  return parse(text);
}

/**
 * Sends one request with a user's access token. If the provider wraps its responses in an envelope, returns the content
 * of the envelope.
 */
export async function askInName(
  config: Config,
  configured: Configured,
  token: string,
  question: Question,
): Promise<unknown> {
  const headers = { ...question.headers, authorization: `Bearer ${token}` };
  const answer = await askProvider(config, configured, { ...question, headers });
  const { unwrap } = configured.connector.oauth;
  if (!unwrap) return answer;
  if (typeof answer !== 'object' || answer === null) throw new ProviderUnavailable('answer_unreadable');
  const found = unwrap({ ...answer }) ?? {};
  refuseError(found);
  return found;
}

/**
 * Whether the provider refused the access token. Then the same request with a new token may succeed. Withings reports
 * this by the codes 100 to 102, 200 and 401.
 */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof ProviderRefused && /^(http_401|withings_(10[0-2]|200|401))$/.test(error.code);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
