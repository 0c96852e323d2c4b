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
import type { Hook, HookHeaders, News } from './hook.ts';
import { hookOrNull } from './providers.ts';

/** What has come in of a connection. */
export const inboxKind = jobKind({
  name: 'work_inbox',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, provider: oneOf(PROVIDER_SLUGS) }),
});

/** Connections of one account, in different teams. */
const MOST_CONNECTIONS = 100;
/** Of a connection: further ones say no more, since all of it is polled sooner or later. */
const MOST_WAITING = 100;

/** The hook of a provider that is configured here, with the secret it is signed by. Throws not_found. */
export function findHook(ctx: Ctx, provider: string): { hook: Hook; secret: string } {
  const [hook, configured] = [hookOrNull(provider), configuredOrNull(ctx.config, provider)];
  if (!hook || !configured) throw notFound('Hook of this provider');
  return { hook, secret: configured.client.secret.reveal() };
}

/** Keeps what a provider tells of, for every connection that it tells of, and answers; the work comes afterwards. */
export async function receiveHook(
  ctx: Ctx,
  { provider, headers, body }: { provider: string; headers: HookHeaders; body: Readable },
): Promise<{ received: true }> {
  const { hook, secret } = findHook(ctx, provider);
  const sent = await text(body);
  if (!hook.isSigned(secret, headers, sent))
    throw new AppError('signature_refused', 'The signature is not that of this notification.');
  const news = hook.read(parse(sent));
  if (news === null) return { received: true };
  const hash = ctx.cipher.lookupHash('external_user', provider, news.external_user_id);
  const connections = await acrossTeams(ctx)
    .db.selectFrom('connections')
    .innerJoin('users', 'users.id', 'connections.user_id')
    .select(['connections.team_id', 'connections.user_id'])
    .where('connections.provider', '=', provider)
    .where('connections.external_user_hash', '=', hash)
    .where('connections.status', '=', 'connected')
    .where('users.deleted_at', 'is', null)
    .limit(MOST_CONNECTIONS)
    .execute();
  for (const { team_id, user_id } of connections) {
    const team = await findTeamScope(ctx, team_id);
    if (team) await keep(forTeam(ctx, team), { user_id, provider: provider as ProviderSlug }, news, sent);
  }
  return { received: true };
}

/** One that was kept already asks for nothing. */
function keep(
  ctx: TeamCtx,
  { user_id, provider }: Omit<Static<(typeof inboxKind)['payload']>, 'team_id'>,
  { resources, object }: News,
  sent: string,
): Promise<void> {
  return inTransaction(ctx, async ({ db, team, cipher }) => {
    const { rows } = await sql`
      insert into inbox (user_id, provider, hash, team_id, resources, object_resource, object_id)
      select ${user_id}, ${provider}, ${cipher.lookupHash('news', team.id, sent)}, ${team.id}, ${resources}::text[],
             ${object?.resource ?? null}, ${object?.id ?? null}
       where (select count(*) from (
                select from inbox where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
                   and worked_at is null limit ${MOST_WAITING}) as waiting) < ${MOST_WAITING}
      on conflict do nothing
      returning received_at`.execute(db);
    if (rows.length === 0) return;
    const payload = { team_id: team.id, user_id, provider };
    await addJob(db, inboxKind, payload, { key: `inbox ${user_id} ${provider}` });
  });
}

/** Nothing in it where it is no object. */
function parse(sent: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(sent);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
