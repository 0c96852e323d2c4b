import type { Readable } from 'node:stream';
import { Value } from 'typebox/value';
import { Webhook } from 'standardwebhooks';
import type { Ctx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError, notFound } from '../../../errors.ts';
import { HookBodies } from '../../../hook-bodies.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/team-scope.ts';
import { findConnected } from '../../schedulers/find-schedulers.ts';
import { momentOrNull, SchedulerUpdate } from '../../schedulers/scheduler-messages.ts';
import { APPOINTMENT_PROVIDERS } from '../../schedulers/providers.ts';
import { readSecrets, SecretUnreadable } from '../../schedulers/secrets.ts';
import type { HttpSettings } from '../../schedulers/scheduler-settings.ts';
import { applySchedulerUpdate } from './apply-scheduler-update.ts';

/** The headers of Standard Webhooks in lower case, which is how Node names them. */
export const UPDATE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** The largest accepted body of an update, in bytes. Schedulers send small messages. */
export const MAX_UPDATE_BYTES = 16 * 1024;
const MAX_PROBLEMS = 20;
/** If the time in an update is further ahead than this, the scheduler's clock or ours is wrong. */
const MAX_AHEAD_MS = 5 * 60_000;
const bodies = new HookBodies();

type SchedulerRequest = { headers: Readonly<Record<string, string | null>>; body: Readable };

/**
 * Applies a scheduler's update in one transaction and responds after the commit, so no update that we acknowledged is
 * lost. Throws not_found if the scheduler or the appointment is unknown, and signature_refused if the signature is
 * wrong or missing. Throws not_ready if the scheduler has to send the update again later.
 */
export async function receiveSchedulerUpdate(
  ctx: Ctx,
  provider: string,
  { headers, body }: SchedulerRequest,
): Promise<{ received: true }> {
  if (!APPOINTMENT_PROVIDERS.some((name) => name === provider)) throw notFound('Hook of this scheduler');
  if (UPDATE_HEADERS.some((name) => (headers[name] ?? null) === null)) throw refused();
  return bodies.take(ctx, body, (bytes) => applySigned(ctx, provider, { headers, text: bytes.toString('utf8') }));
}

async function applySigned(
  ctx: Ctx,
  provider: string,
  { headers, text }: { headers: SchedulerRequest['headers']; text: string },
): Promise<{ received: true }> {
  const settings = (await findConnected(ctx)).find((each) => each.provider === provider);
  if (!settings?.http) throw notFound('Hook of this scheduler');
  await refuseUnsigned(ctx, settings.http, { headers, text });
  const update = read(text);
  const found = await findOrderOfAppointmentOrNull(ctx, provider, update.appointment_id);
  const team = found && (await findTeamScopeOrNull(ctx, found.team_id));
  if (!found || !team) throw notFound('Appointment');
  await inTransaction(forTeam(ctx, team), (tx) => applySchedulerUpdate(tx, found.order_id, update));
  return { received: true };
}

const refused = (): AppError =>
  new AppError('signature_refused', 'The signature does not show that the scheduler sent this message.');

async function refuseUnsigned(
  ctx: Ctx,
  http: HttpSettings,
  { headers, text }: { headers: SchedulerRequest['headers']; text: string },
): Promise<void> {
  const sent = Object.fromEntries(UPDATE_HEADERS.map((name) => [name, headers[name] ?? '']));
  let secrets: string[];
  try {
    secrets = await readSecrets(http);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    ctx.log.error({ problem: error.message }, 'an update of a scheduler cannot be checked: its secret is not readable');
    throw new AppError('not_ready', 'Updates of this scheduler cannot be checked now. Send this again later.');
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

function read(text: string): SchedulerUpdate {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new AppError('scheduler_news_invalid', 'The body is not JSON.');
  }
  if (!Value.Check(SchedulerUpdate, parsed)) {
    const errors = [...Value.Errors(SchedulerUpdate, parsed)].slice(0, MAX_PROBLEMS);
    const problems = errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
    throw new AppError('scheduler_news_invalid', `The message is not valid: ${problems.join('; ')}.`);
  }
  const problems = problemsOf(parsed);
  if (problems.length > 0)
    throw new AppError('scheduler_news_invalid', `The message is not valid: ${problems.join('; ')}.`);
  return parsed;
}

function problemsOf({ occurred_at, start, end }: SchedulerUpdate): string[] {
  const problems: string[] = [];
  const happened = momentOrNull(occurred_at);
  if (happened === null || Date.parse(happened) > Date.now() + MAX_AHEAD_MS)
    problems.push('/occurred_at must be a time that is not in the future');
  const [from, to] = [momentOrNull(start), momentOrNull(end)];
  if ((from === null) !== (to === null)) problems.push('/start and /end must be given together');
  if (from !== null && to !== null && to <= from) problems.push('/end must be after /start');
  return problems;
}

/** Returns the team and the order of an appointment; null if this scheduler has booked no appointment with that id. */
async function findOrderOfAppointmentOrNull(
  ctx: Ctx,
  provider: string,
  id: string,
): Promise<{ team_id: string; order_id: string } | null> {
  const found = await acrossTeams(ctx)
    .db.selectFrom('appointments')
    .select(['team_id', 'order_id'])
    .where('id', '=', id.toLowerCase())
    .where('provider', '=', provider)
    .where('booked_by', '=', 'scheduler')
    .executeTakeFirst();
  return found ?? null;
}
