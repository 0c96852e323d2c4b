// Sends all requests for the data of providers.
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

/** The time limit of a request in milliseconds, up to the last byte of its response. */
const TIMEOUT_MS = 30_000;
const MAX_BYTES = 8 * 1024 * 1024;
const LONGEST_WAIT_SECONDS = 86_400;
const NOBODY: ProviderWaits = { application: null, team: null };

/** For whom requests are sent: the user and the context. */
type Asking = Omit<ImportSource, 'ask' | 'wanted'>;

/**
 * Returns the source from which an importer reads. The importer only calls `ask`. Tokens and limits are handled here.
 */
export const importSource = (of: Omit<ImportSource, 'ask'>): ImportSource => ({
  ...of,
  ask: (api, question) => askProvider(of, api, question),
});

/**
 * Sends a request for a connection's data and returns the response; null if there is no data. If the provider refuses
 * the token, renews it and asks once more. Throws PullError for any other status and for an unreadable response.
 */
async function askProvider(source: Asking, api: ProviderApi, question: Question): Promise<unknown> {
  const { ctx, user, past } = source;
  const connection = { user_id: user.id, provider: api.slug };
  const { hasOwn, claimProbe } = await refuseWhileDeferred(ctx, connection, past);
  let probe: Probe | undefined;
  let refused: string | undefined;
  for (;;) {
    const token = await tokenOf(source, api, refused);
    // A probe is one request during a wait of the application. It is claimed only now, when we have a token. Without a
    // token no request follows, and another team should get the probe.
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
  // There is no token. If the user is scheduled for deletion, findUser throws, and the work continues if the team
  // cancels the deletion. Otherwise the connection is paused or in error, and a new pull begins when the user connects
  // again.
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
    { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal },
  ).catch((error: unknown) => {
    if (!(error instanceof NoResponse)) throw error;
    // A response that is too large now will be too large next time, so there is no other try.
    throw new PullError(error.code === 'answer_too_large' ? 'non_retriable_error' : 'transport_failure');
  });
  const value = parse(text);
  return { status: api.statusOf?.(status, value) ?? status, headers, value };
}

/**
 * Whether the response shows that the provider accepts requests again. A response with 401, 429 or a server error does
 * not.
 */
const isAnswered = ({ status }: ProviderResponse): boolean => (status >= 200 && status < 300) || status === 404;

function valueOf(
  { status, headers, value }: ProviderResponse,
  { mayBeMissing }: Question,
  waits: ProviderWaits,
): unknown {
  if (status === 429) {
    // If the application has used up its limit, this does not count as a try, because the connection is not the cause.
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

/** Returns the seconds that `Retry-After` asks us to wait, at most a day; null if it has no number. */
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
