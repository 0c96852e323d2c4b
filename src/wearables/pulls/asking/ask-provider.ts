// The one way in which data is asked for at a provider.
import { ask, NoAnswer } from '../../../outbound/ask.ts';
import { findUser } from '../../../users/find.ts';
import { failConnection } from '../../connections/fail.ts';
import { connectorOrNull } from '../../providers/registry.ts';
import { addressAt } from '../../connections/applications/configured.ts';
import { freshToken } from '../../connections/tokens/fresh-token.ts';
import { ProviderUnavailable } from '../../providers/provider-errors.ts';
import { PullError, type ImportSource } from '../../providers/importer.ts';
import { endWait, holdBack, ofTeamAlone, refuseWhileHeldBack, type Probe } from './hold-back.ts';
import type { Headers, Hold, ProviderApi, Question } from '../../providers/provider-api.ts';

/** From the call to the last byte. */
const TIMEOUT_MS = 30_000;
const MOST_BYTES = 8 * 1024 * 1024;
const LONGEST_WAIT_SECONDS = 86_400;
const NOBODY: Hold = { application: null, team: null };

/** On behalf of whom a provider is asked. */
type Asking = Omit<ImportSource, 'ask' | 'wanted'>;

/** What an importer works with. It asks its provider by `ask`, so that importers know nothing of tokens and limits. */
export const importSource = (of: Omit<ImportSource, 'ask'>): ImportSource => ({
  ...of,
  ask: (api, question) => askProvider(of, api, question),
});

/**
 * What the provider answers to a question on behalf of a connection; null where there is nothing. A token that is refused
 * is renewed, once. Throws PullError for everything else that is no answer.
 */
async function askProvider(source: Asking, api: ProviderApi, question: Question): Promise<unknown> {
  const { ctx, user, past } = source;
  const place = { user_id: user.id, provider: api.slug };
  const { hasOwn, claimProbe } = await refuseWhileHeldBack(ctx, place, past);
  let probe: Probe | undefined;
  let refused: string | undefined;
  for (;;) {
    const token = await tokenOf(source, api, refused);
    // Once there is a token: without one nothing is asked, and another team may probe.
    probe ??= await claimProbe?.();
    const answer = await send(source, api, question, token);
    const hold = api.holdOf?.(answer.status, answer.headers) ?? NOBODY;
    if (probe && isAnswered(answer)) await endWait(ctx, api.slug, probe);
    await holdBack(ctx, api.slug, hasOwn ? ofTeamAlone(hold) : hold);
    if (answer.status !== 401) return valueOf(answer, question, hold);
    if (refused !== undefined) {
      const error = { type: 'provider_credential_error', details: 'http_401' } as const;
      const isOver = await failConnection(ctx, place, error, token);
      throw new PullError(isOver ? 'non_retriable_error' : 'resource_contention');
    }
    refused = token;
  }
}

async function tokenOf({ ctx, user }: Asking, { slug }: ProviderApi, refused?: string): Promise<string> {
  try {
    const token = await freshToken(ctx, { user_id: user.id, provider: slug }, refused);
    if (token !== null) return token;
  } catch (error) {
    throw error instanceof ProviderUnavailable ? new PullError('provider_unavailable') : error;
  }
  // A user who is leaving may come back; a connection that is paused or in error is pulled anew when it is made again.
  await findUser(ctx, user.id);
  throw new PullError('non_retriable_error');
}

type Answer = { status: number; headers: Headers; value: unknown };

async function send(
  { ctx, signal }: Asking,
  api: ProviderApi,
  { url, query = {}, form, json }: Question,
  token: string,
): Promise<Answer> {
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
    if (!(error instanceof NoAnswer)) throw error;
    // What is too large now will be so the next time.
    throw new PullError(error.code === 'answer_too_large' ? 'non_retriable_error' : 'transport_failure');
  });
  const value = parse(text);
  return { status: api.statusOf?.(status, value) ?? status, headers, value };
}

/** An answer to what was asked: 401, 429 and trouble of the provider's are none. */
const isAnswered = ({ status }: Answer): boolean => (status >= 200 && status < 300) || status === 404;

function valueOf({ status, headers, value }: Answer, { mayBeMissing }: Question, hold: Hold): unknown {
  if (status === 429) {
    // That the application has asked too much is no fault of this connection, and no try of it.
    const wait = hold.application?.pollsSeconds ? hold.application : hold.team;
    throw new PullError('provider_rate_limit_exceeded', wait?.pollsSeconds ?? retryAfterOf(headers), {
      heldBack: wait === hold.application && wait !== null,
    });
  }
  if (status === 404 && mayBeMissing) return null;
  if (status >= 500) throw new PullError('provider_unavailable', retryAfterOf(headers));
  if (status >= 400) throw new PullError('non_retriable_error');
  if (status < 200 || status >= 300 || value === undefined) throw new PullError('transport_failure');
  return value;
}

/** Seconds that the answer asks to wait, at most a day; null where it asks for nothing that can be read. */
function retryAfterOf(headers: Headers): number | null {
  const seconds = Number(headers['retry-after'] ?? NaN);
  return seconds >= 0 ? Math.min(seconds, LONGEST_WAIT_SECONDS) : null;
}

function parametersOf(values: Readonly<Record<string, string | number | null>>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return new URLSearchParams(given as [string, string][]).toString();
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
