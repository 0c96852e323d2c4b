// Sends all requests for a provider's data.
import { ask, NoResponse } from '../../../outbound/ask.ts';
import { findUser } from '../../../users/find.ts';
import { failConnection } from '../../connections/fail.ts';
import { connectorOrNull } from '../../providers/registry.ts';
import { addressAt } from '../../connections/applications/configured.ts';
import { getValidToken } from '../../connections/tokens/valid-token.ts';
import { ProviderUnavailable } from '../../providers/provider-errors.ts';
import { PullError, type ImportSource } from '../../providers/importer.ts';
import { endWait, storeWaits, ofTeamAlone, refuseWhileDeferred, type Probe } from './provider-waits.ts';
import type { Headers, ProviderWaits, ProviderApi, Question } from '../../providers/provider-api.ts';

/** The time limit from the start of the request to the last byte of the response. */
const TIMEOUT_MS = 30_000;
const MOST_BYTES = 8 * 1024 * 1024;
const LONGEST_WAIT_SECONDS = 86_400;
const NOBODY: ProviderWaits = { application: null, team: null };

/** The user and context for which requests are sent. */
type Asking = Omit<ImportSource, 'ask' | 'wanted'>;

/**
 * Returns the source with which an importer works. The importer sends requests with `ask`, so it does not need tokens
 * and does not know limits.
 */
export const importSource = (of: Omit<ImportSource, 'ask'>): ImportSource => ({
  ...of,
  ask: (api, question) => askProvider(of, api, question),
});

/**
 * Sends a request for a connection's data and returns the response; null if there is no data. If the provider refuses
 * the token, renews it once. Throws PullError for any other status and for an unreadable response.
 */
async function askProvider(source: Asking, api: ProviderApi, question: Question): Promise<unknown> {
  const { ctx, user, past } = source;
  const connection = { user_id: user.id, provider: api.slug };
  const { hasOwn, claimProbe } = await refuseWhileDeferred(ctx, connection, past);
  let probe: Probe | undefined;
  let refused: string | undefined;
  for (;;) {
    const token = await tokenOf(source, api, refused);
    // We claim the probe only when we have a token. Without a token we send no request, so another team may send the
    // probe.
    probe ??= await claimProbe?.();
    const answer = await send(source, api, question, token);
    const waits = api.waitsOf?.(answer.status, answer.headers) ?? NOBODY;
    if (probe && isAnswered(answer)) await endWait(ctx, api.slug, probe);
    await storeWaits(ctx, api.slug, hasOwn ? ofTeamAlone(waits) : waits);
    if (answer.status !== 401) return valueOf(answer, question, waits);
    if (refused !== undefined) {
      const error = { type: 'provider_credential_error', details: 'http_401' } as const;
      const isOver = await failConnection(ctx, connection, error, token);
      throw new PullError(isOver ? 'non_retriable_error' : 'resource_contention');
    }
    refused = token;
  }
}

async function tokenOf({ ctx, user }: Asking, { slug }: ProviderApi, refused?: string): Promise<string> {
  try {
    const token = await getValidToken(ctx, { user_id: user.id, provider: slug }, refused);
    if (token !== null) return token;
  } catch (error) {
    throw error instanceof ProviderUnavailable ? new PullError('provider_unavailable') : error;
  }
  // If a user is scheduled for deletion, this throws, and the work continues if the team cancels the deletion. If a
  // connection is paused or in error, a new pull begins when the user connects again.
  await findUser(ctx, user.id);
  throw new PullError('non_retriable_error');
}

type ProviderResponse = { status: number; headers: Headers; value: unknown };

async function send(
  { ctx, signal }: Asking,
  api: ProviderApi,
  { url, query = {}, form, json }: Question,
  token: string,
): Promise<ProviderResponse> {
  const connector = connectorOrNull(api.slug);
  if (!connector) throw new PullError('non_retriable_error');
  const search = parametersOf(query);
  const body = form ? parametersOf(form) : json === undefined ? null : JSON.stringify(json);
  const { status, headers, text } = await ask(
    ctx.config,
    {
      method: body === null ? 'GET' : 'POST',
      url: `${addressAt(ctx.config, { connector }, url)}${search === '' ? '' : `?${search}`}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === null ? {} : { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' }),
      },
      ...(body === null ? {} : { body }),
    },
    { timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, signal },
  ).catch((error: unknown) => {
    if (!(error instanceof NoResponse)) throw error;
    // If a response is too large now, it will be too large next time.
    throw new PullError(error.code === 'answer_too_large' ? 'non_retriable_error' : 'transport_failure');
  });
  const value = parse(text);
  return { status: api.statusOf?.(status, value) ?? status, headers, value };
}

/**
 * Whether the provider itself has processed the request. A response with 401, 429 or a server error does not show this.
 */
const isAnswered = ({ status }: ProviderResponse): boolean => (status >= 200 && status < 300) || status === 404;

function valueOf(
  { status, headers, value }: ProviderResponse,
  { mayBeMissing }: Question,
  waits: ProviderWaits,
): unknown {
  if (status === 429) {
    // The connection is not the cause if the application has used up its limit. So this does not count as a try.
    const wait = waits.application?.pollsSeconds ? waits.application : waits.team;
    throw new PullError('provider_rate_limit_exceeded', wait?.pollsSeconds ?? retryAfterOf(headers), {
      isDeferred: wait === waits.application && wait !== null,
    });
  }
  if (status === 404 && mayBeMissing) return null;
  if (status >= 500) throw new PullError('provider_unavailable', retryAfterOf(headers));
  if (status >= 400) throw new PullError('non_retriable_error');
  if (status < 200 || status >= 300 || value === undefined) throw new PullError('transport_failure');
  return value;
}

/**
 * Returns the number of seconds for which the response asks us to wait, at most a day; null if it has no readable
 * number.
 */
function retryAfterOf(headers: Headers): number | null {
  const seconds = Number(headers['retry-after'] ?? NaN);
  return seconds >= 0 ? Math.min(seconds, LONGEST_WAIT_SECONDS) : null;
}

function parametersOf(values: Readonly<Record<string, string | number | null>>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return new URLSearchParams(given as [string, string][]).toString();
}

/** Returns the value of a JSON text; undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
