import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';
import { addJobs } from '../../db/define-job.ts';
import type { ProviderSlug } from '../providers/provider-catalogue.ts';
import type { ProviderEvent } from '../providers/notification-reader.ts';
import { inboxKind, MAX_TRIES } from './inbox.ts';

/**
 * The most notifications that wait for one connection. We do not store further notifications. The next poll brings
 * their data.
 */
const MAX_WAITING = 100;

/** A notification, and its JSON text. */
export type ReceivedNotification = { providerEvent: ProviderEvent; text: string };

/** A connection to which a notification may belong. */
export type ConnectionOwner = { team_id: string; user_id: string };

/**
 * Stores all notifications of one body in one statement, because a provider waits only two seconds for the response. A
 * notification that is stored already is ignored. With `repeats`, it is ignored only until its data has been pulled.
 * After that, the same text can report another change. Ignores users who are scheduled for deletion or being erased.
 */
export async function storeNotifications(
  ctx: TxCtx<Ctx>,
  provider: ProviderSlug,
  all: (ConnectionOwner & { notifications: ReceivedNotification[] })[],
  repeats: boolean,
): Promise<void> {
  const specs = all.flatMap((owner) => rowsOf(ctx, owner));
  if (specs.length === 0) return;
  // The statement locks rows in a fixed order, so that two bodies with the same notifications cannot deadlock.
  const { rows } = await sql<ConnectionOwner>`
    with named as (
      select * from json_to_recordset(${JSON.stringify(specs)}::json) as spec (
        position integer, team_id uuid, user_id uuid, hash text, resources json, object_resource text, object_id text,
        span_from timestamptz, span_to timestamptz, deleted boolean, ended boolean)
    ), present as (
      select id from users where id in (select user_id from named) and deleted_at is null
       order by id for key share skip locked
    ), waiting as (
      select id, (select count(*) from (
        select from inbox where user_id = id and provider = ${provider} and worked_at is null and tries < ${MAX_TRIES}
         limit ${MAX_WAITING}) as of_them) as many from present
    ), fresh as (
      select named.*, many + row_number() over (partition by user_id order by position) as number
        from named join waiting on waiting.id = named.user_id
       where not exists (
         select from inbox where inbox.user_id = named.user_id and inbox.provider = ${provider}
            and inbox.hash = decode(named.hash, 'hex') and not (${repeats} and worked_at is not null))
    ), added as (
      insert into inbox (user_id, provider, hash, team_id, resources, object_resource, object_id, span_from, span_to,
        deleted, ended)
      select user_id, ${provider}, decode(hash, 'hex'), team_id, array(select json_array_elements_text(resources)),
             object_resource, object_id, span_from, span_to, deleted, ended
        from fresh where number <= ${MAX_WAITING} order by user_id, hash
          on conflict (user_id, provider, hash) do update
             set worked_at = null, tries = 0, received_at = now() where ${repeats} and inbox.worked_at is not null
      returning team_id, user_id
    ) select distinct team_id, user_id from added order by user_id`.execute(ctx.db);
  await addJobs(
    ctx.db,
    inboxKind,
    rows.map((owner) => ({ payload: { ...owner, provider } })),
  );
}

/** Returns rows of the inbox, one for each different text. */
function rowsOf(
  { cipher }: TxCtx<Ctx>,
  { team_id, user_id, notifications }: ConnectionOwner & { notifications: ReceivedNotification[] },
) {
  const byText = new Map(notifications.map(({ providerEvent, text }) => [text, providerEvent]));
  return [...byText].map(([text, { resources, object, span, deleted, ended }], position) => ({
    position,
    team_id,
    user_id,
    hash: cipher.lookupHash('news', team_id, text).toString('hex'),
    resources,
    object_resource: object?.resource ?? null,
    object_id: object?.id ?? null,
    span_from: span?.from ?? null,
    span_to: span?.to ?? null,
    deleted: deleted ?? false,
    ended: ended ?? false,
  }));
}
