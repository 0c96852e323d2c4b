import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import type { Ctx, TeamCtx } from '../../context.ts';
import { addJob, jobKind } from '../../db/define-job.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError, notFound } from '../../errors.ts';
import { findTeamScope, forTeam } from '../../tenancy/teams/scope.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import { configuredOrNull } from '../connections/providers/configured.ts';
import { PROVIDER_SLUGS, type ProviderSlug } from '../providers.ts';
import type { Hook, News, Sent } from './hook.ts';
import { MOST_TRIES } from './inbox.ts';
import { hookOrNull } from './providers/all.ts';

/** What has come in of a connection. */
export const inboxKind = jobKind({
  name: 'work_inbox',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, provider: oneOf(PROVIDER_SLUGS) }),
  key: ({ user_id, provider }) => `inbox ${user_id} ${provider}`,
  placeOf: ({ team_id }) => team_id,
});

/** Of all accounts that one body tells of, in different teams: a provider waits for two seconds. */
const MOST_CONNECTIONS = 200;
/** Of a connection: further ones say no more, since all of it is polled sooner or later. */
const MOST_WAITING = 100;
/** Of one body. Google puts 99 in one. */
const MOST_NOTIFICATIONS = 100;

/** The hook of a provider that is configured here, with the secret of its application. Throws not_found. */
export function findHook(ctx: Ctx, provider: string): { hook: Hook; secret: string } {
  const [hook, configured] = [hookOrNull(provider), configuredOrNull(ctx.config, provider)];
  if (!hook || !configured) throw notFound('Hook of this provider');
  return { hook, secret: configured.client.secret.reveal() };
}

/** Keeps what a provider tells of, for every connection that it tells of, and answers; the work comes afterwards. */
export async function receiveHook(
  ctx: Ctx,
  provider: string,
  { body, ...from }: Omit<Sent, 'body'> & { body: Readable },
): Promise<{ received: true }> {
  const { hook, secret } = findHook(ctx, provider);
  const sent = await text(body);
  if (!hook.isGenuine(secret, { ...from, body: sent }))
    throw new AppError('signature_refused', 'Nothing shows that the provider has sent this.');
  const told = new Map<string, Told[]>();
  for (const notification of notificationsOf(hook, sent)) {
    const news = hook.read(notification);
    if (news === null) continue;
    const whose = ctx.cipher.lookupHash('external_user', provider, news.external_user_id).toString('hex');
    told.set(whose, [...(told.get(whose) ?? []), { news, words: JSON.stringify(notification) }]);
  }
  for (const { team_id, user_id, external_user_hash } of await connectionsOf(ctx, provider, [...told.keys()])) {
    const team = await findTeamScope(ctx, team_id);
    const place = { user_id, provider: provider as ProviderSlug };
    const all = told.get(external_user_hash?.toString('hex') ?? '') ?? [];
    if (team) await keep(forTeam(ctx, team), place, all, hook.repeats ?? false);
  }
  return { received: true };
}

/** A notification with what it said. */
type Told = { news: News; words: string };

async function connectionsOf(ctx: Ctx, provider: string, hashes: string[]) {
  if (hashes.length === 0) return [];
  return acrossTeams(ctx)
    .db.selectFrom('connections')
    .innerJoin('users', 'users.id', 'connections.user_id')
    .select(['connections.team_id', 'connections.user_id', 'connections.external_user_hash'])
    .where('connections.provider', '=', provider)
    .where(
      'connections.external_user_hash',
      'in',
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    )
    .where('connections.status', '=', 'connected')
    .where('users.deleted_at', 'is', null)
    .limit(MOST_CONNECTIONS)
    .execute();
}

/**
 * All that was told of a connection, in one transaction. What was kept already asks for nothing, but where the same words
 * can tell of something new once they were worked.
 */
function keep(
  ctx: TeamCtx,
  { user_id, provider }: Omit<Static<(typeof inboxKind)['payload']>, 'team_id'>,
  told: Told[],
  repeats: boolean,
): Promise<void> {
  return inTransaction(ctx, async ({ db, team, cipher }) => {
    let isNew = false;
    for (const { news, words } of told) {
      const { resources, object, span, ended } = news;
      const { rows } = await sql`
        insert into inbox (user_id, provider, hash, team_id, resources, object_resource, object_id, span_from, span_to, ended)
        select ${user_id}, ${provider}, ${cipher.lookupHash('news', team.id, words)}, ${team.id}, ${resources}::text[],
               ${object?.resource ?? null}, ${object?.id ?? null}, ${span?.from ?? null}::timestamptz,
               ${span?.to ?? null}::timestamptz, ${ended ?? false}
         where (select count(*) from (
                  select from inbox where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
                     and worked_at is null and tries < ${MOST_TRIES} limit ${MOST_WAITING}) as waiting) < ${MOST_WAITING}
        on conflict (user_id, provider, hash) do update
           set worked_at = null, tries = 0, received_at = now() where ${repeats} and inbox.worked_at is not null
        returning received_at`.execute(db);
      isNew ||= rows.length > 0;
    }
    if (!isNew) return;
    const payload = { team_id: team.id, user_id, provider };
    await addJob(db, inboxKind, payload);
  });
}

/** What is no object tells of nothing. */
function notificationsOf({ isForm = false }: Hook, sent: string): Readonly<Record<string, unknown>>[] {
  if (isForm) return [Object.fromEntries(new URLSearchParams(sent))];
  const value = parse(sent);
  const all: unknown[] = Array.isArray(value) ? value.slice(0, MOST_NOTIFICATIONS) : [value];
  return all.flatMap((each) => (typeof each === 'object' && each !== null ? [{ ...each }] : []));
}

function parse(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return null;
  }
}
