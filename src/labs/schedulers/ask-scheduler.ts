import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { Webhook } from 'standardwebhooks';
import type { Ctx } from '../../context.ts';
import { ask, NoAnswer } from '../../outbound/ask.ts';
import { USER_AGENT } from '../../package-root.ts';
import { RefusalAnswer } from './messages.ts';
import { readSecrets, SecretUnreadable } from './secrets.ts';
import type { HttpSettings, SchedulerSettings } from './settings.ts';

const MOST_BYTES = 256 * 1024;
const USUAL_SECONDS = 8;

/** What refuses for good; anything else may be asked again. */
const REFUSING: ReadonlySet<number> = new Set([400, 404, 409, 410, 422]);
/** What a refusal is known by where the scheduler gives no code of its own. */
const REFUSED = 'refused';

export type Asked<T> =
  | { outcome: 'answered'; answer: T }
  | { outcome: 'refused'; code: string; status: number }
  | { outcome: 'no_answer'; code: string };

type Question = {
  /** Behind the scheduler's URL. */
  path: string;
  body: object;
  /** Stays the same when it is asked again: a scheduler carries it out once. */
  id: string;
};

/**
 * One signed request to a scheduler, outside of transactions: a POST, over vetted connections, with bounds of time and
 * size. What is no answer of the interface counts as none.
 */
export async function askScheduler<S extends TSchema>(
  ctx: Pick<Ctx, 'config' | 'log'>,
  { provider, http }: SchedulerSettings & { http: HttpSettings },
  { path, body, id }: Question,
  shape: S,
): Promise<Asked<Static<S>>> {
  const text = JSON.stringify(body);
  try {
    const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...(await signed(http, id, text)) };
    const url = `${http.url}${http.url.endsWith('/') ? '' : '/'}${path}`;
    const bounds = {
      timeoutMs: (http.answer_seconds ?? USUAL_SECONDS) * 1_000,
      mostBytes: MOST_BYTES,
      ...(http.networks ? { networks: http.networks } : {}),
    };
    const answer = await ask(ctx.config, { method: 'POST', url, headers, body: text }, bounds);
    const told = parsedOrNull(answer.text);
    if (answer.status >= 200 && answer.status < 300)
      return Value.Check(shape, told)
        ? { outcome: 'answered', answer: told as Static<S> }
        : { outcome: 'no_answer', code: 'answer_not_understood' };
    if (!REFUSING.has(answer.status)) return { outcome: 'no_answer', code: `status_${answer.status}` };
    const code = Value.Check(RefusalAnswer, told) ? (told as { code: string }).code : REFUSED;
    return { outcome: 'refused', code, status: answer.status };
  } catch (error) {
    if (error instanceof NoAnswer) return { outcome: 'no_answer', code: error.code };
    if (!(error instanceof SecretUnreadable)) throw error;
    ctx.log.error({ provider, problem: error.message }, 'a scheduler cannot be asked: its secret is not readable');
    return { outcome: 'no_answer', code: 'secret_unreadable' };
  }
}

/** Standard Webhooks, by each of the secrets: a scheduler that knows one of them accepts it. */
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
