import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { Webhook } from 'standardwebhooks';
import type { Ctx } from '../../context.ts';
import { ask, NoResponse } from '../../outbound/ask.ts';
import { USER_AGENT } from '../../package-root.ts';
import { RefusalResponse } from './scheduler-messages.ts';
import { readSecrets, SecretUnreadable } from './secrets.ts';
import type { HttpSettings, SchedulerSettings } from './scheduler-settings.ts';

const MAX_BYTES = 256 * 1024;
const USUAL_SECONDS = 8;

/** HTTP statuses of a permanent refusal. After any other error we repeat the request. */
const REFUSING: ReadonlySet<number> = new Set([400, 404, 409, 410, 422]);
/** The code of a refusal if the scheduler's response contains no code. */
const REFUSED = 'refused';

export type SchedulerOutcome<T> =
  | { outcome: 'answered'; response: T }
  | { outcome: 'refused'; code: string; status: number }
  | { outcome: 'no_answer'; code: string };

type Question = {
  /** The path after the scheduler's URL. */
  path: string;
  body: object;
  /** The id of the request. A repeated request has the same id, so that the scheduler does not carry it out twice. */
  id: string;
};

/**
 * Sends one signed POST to a scheduler, with a time limit and a size limit. The module `outbound` checks the address
 * before it connects. The caller must not be in a transaction, because the scheduler may take seconds. If a response
 * does not have the declared shape, the outcome is `no_answer`.
 */
export async function askScheduler<S extends TSchema>(
  ctx: Pick<Ctx, 'config' | 'log'>,
  { provider, http }: SchedulerSettings & { http: HttpSettings },
  { path, body, id }: Question,
  shape: S,
): Promise<SchedulerOutcome<Static<S>>> {
  const text = JSON.stringify(body);
  try {
    const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...(await signed(http, id, text)) };
    const url = `${http.url}${http.url.endsWith('/') ? '' : '/'}${path}`;
    const bounds = {
      timeoutMs: (http.answer_seconds ?? USUAL_SECONDS) * 1_000,
      maxBytes: MAX_BYTES,
      ...(http.networks ? { networks: http.networks } : {}),
    };
    const response = await ask(ctx.config, { method: 'POST', url, headers, body: text }, bounds);
    const parsed = parsedOrNull(response.text);
    if (response.status >= 200 && response.status < 300)
      return Value.Check(shape, parsed)
        ? { outcome: 'answered', response: parsed as Static<S> }
        : { outcome: 'no_answer', code: 'answer_not_understood' };
    if (!REFUSING.has(response.status)) return { outcome: 'no_answer', code: `status_${response.status}` };
    const code = Value.Check(RefusalResponse, parsed) ? (parsed as { code: string }).code : REFUSED;
    return { outcome: 'refused', code, status: response.status };
  } catch (error) {
    if (error instanceof NoResponse) return { outcome: 'no_answer', code: error.code };
    if (!(error instanceof SecretUnreadable)) throw error;
    ctx.log.error({ provider, problem: error.message }, 'a scheduler cannot be asked: its secret is not readable');
    return { outcome: 'no_answer', code: 'secret_unreadable' };
  }
}

/**
 * Returns the headers of a request with signatures by Standard Webhooks, one for each secret. So a scheduler that knows
 * one of the secrets accepts the request, also while the operator changes the secret.
 */
async function signed(http: HttpSettings, id: string, body: string): Promise<Record<string, string>> {
  const at = new Date();
  const signatures = (await readSecrets(http)).map((secret) => new Webhook(secret).sign(id, at, body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
