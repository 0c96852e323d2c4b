import type { Readable } from 'node:stream';
import { Value } from 'typebox/value';
import { Webhook } from 'standardwebhooks';
import type { Ctx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError, notFound } from '../../../errors.ts';
import { HookBodies } from '../../../hook-bodies.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/scope.ts';
import { findConnected } from '../../schedulers/find-schedulers.ts';
import { momentOrNull, SchedulerNews } from '../../schedulers/messages.ts';
import { APPOINTMENT_PROVIDERS } from '../../schedulers/providers.ts';
import { readSecrets, SecretUnreadable } from '../../schedulers/secrets.ts';
import type { HttpSettings } from '../../schedulers/settings.ts';
import { applyNews } from './apply-news.ts';

/** Of Standard Webhooks; by Node's lower-case names. */
export const NEWS_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** A message of a scheduler is small. */
export const MOST_NEWS_BYTES = 16 * 1024;
const MOST_TOLD = 20;
/** News of what happens tomorrow is a clock that is wrong. */
const MOST_AHEAD_MS = 5 * 60_000;
const bodies = new HookBodies();

type Sent = { headers: Readonly<Record<string, string | null>>; body: Readable };

/**
 * Applies what a scheduler tells of an appointment, in one transaction, and answers then: what is answered has been
 * kept. Throws not_found for a scheduler or an appointment that is not known, signature_refused, and not_ready where it
 * has to be told again later.
 */
export async function receiveNews(ctx: Ctx, provider: string, { headers, body }: Sent): Promise<{ received: true }> {
  if (!APPOINTMENT_PROVIDERS.some((name) => name === provider)) throw notFound('Hook of this scheduler');
  if (NEWS_HEADERS.some((name) => (headers[name] ?? null) === null)) throw refused();
  return bodies.take(ctx, body, (bytes) => applySigned(ctx, provider, { headers, text: bytes.toString('utf8') }));
}

async function applySigned(
  ctx: Ctx,
  provider: string,
  { headers, text }: { headers: Sent['headers']; text: string },
): Promise<{ received: true }> {
  const settings = (await findConnected(ctx)).find((each) => each.provider === provider);
  if (!settings?.http) throw notFound('Hook of this scheduler');
  await refuseUnsigned(ctx, settings.http, { headers, text });
  const news = read(text);
  const place = await placeOf(ctx, provider, news.appointment_id);
  const team = place && (await findTeamScopeOrNull(ctx, place.team_id));
  if (!place || !team) throw notFound('Appointment');
  await inTransaction(forTeam(ctx, team), (tx) => applyNews(tx, place.order_id, news));
  return { received: true };
}

const refused = (): AppError => new AppError('signature_refused', 'Nothing shows that the scheduler has sent this.');

async function refuseUnsigned(
  ctx: Ctx,
  http: HttpSettings,
  { headers, text }: { headers: Sent['headers']; text: string },
): Promise<void> {
  const sent = Object.fromEntries(NEWS_HEADERS.map((name) => [name, headers[name] ?? '']));
  let secrets: string[];
  try {
    secrets = await readSecrets(http);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    ctx.log.error({ problem: error.message }, 'news of a scheduler cannot be checked: its secret is not readable');
    throw new AppError('not_ready', 'News of this scheduler cannot be checked now. Send this again later.');
  }
  const isSigned = secrets.map((secret) => {
    try {
      new Webhook(secret).verify(text, sent, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  });
  if (!isSigned.includes(true)) throw refused();
}

function read(text: string): SchedulerNews {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new AppError('scheduler_news_invalid', 'The body is no JSON.');
  }
  if (!Value.Check(SchedulerNews, parsed)) {
    const errors = [...Value.Errors(SchedulerNews, parsed)].slice(0, MOST_TOLD);
    const problems = errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
    throw new AppError('scheduler_news_invalid', `The message is not as it should be: ${problems.join('; ')}.`);
  }
  const problems = problemsOf(parsed);
  if (problems.length > 0)
    throw new AppError('scheduler_news_invalid', `The message is not as it should be: ${problems.join('; ')}.`);
  return parsed;
}

function problemsOf({ occurred_at, start, end }: SchedulerNews): string[] {
  const problems: string[] = [];
  const happened = momentOrNull(occurred_at);
  if (happened === null || Date.parse(happened) > Date.now() + MOST_AHEAD_MS)
    problems.push('/occurred_at must be a moment that is not ahead');
  const [from, to] = [momentOrNull(start), momentOrNull(end)];
  if ((from === null) !== (to === null)) problems.push('/start and /end must be told together');
  if (from !== null && to !== null && to <= from) problems.push('/end must be after /start');
  return problems;
}

/** Whose appointment it is; null where this scheduler has booked none of that id. */
async function placeOf(ctx: Ctx, provider: string, id: string): Promise<{ team_id: string; order_id: string } | null> {
  const found = await acrossTeams(ctx)
    .db.selectFrom('appointments')
    .select(['team_id', 'order_id'])
    .where('id', '=', id.toLowerCase())
    .where('provider', '=', provider)
    .where('booked_by', '=', 'scheduler')
    .executeTakeFirst();
  return found ?? null;
}
