import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';
import { addJobs } from '../../db/define-job.ts';
import type { ProviderSlug } from '../providers/catalogue.ts';
import type { ProviderEvent } from '../providers/notifier.ts';
import { inboxKind, MOST_TRIES } from './inbox.ts';

/** Of a connection: further ones say no more, since all of it is polled sooner or later. */
const MOST_WAITING = 100;

/** A notification with what it said. */
export type Told = { news: ProviderEvent; words: string };

/** A connection that it may be of. */
export type Place = { team_id: string; user_id: string };

/**
 * All that one body told, in one statement: a provider waits for two seconds. What was kept already asks for nothing, but
 * where the same words can tell of something new once they were worked (`repeats`). Who is being erased is passed by.
 */
export async function keepNews(
  ctx: TxCtx<Ctx>,
  provider: ProviderSlug,
  all: (Place & { told: Told[] })[],
  repeats: boolean,
): Promise<void> {
  const specs = all.flatMap((place) => rowsOf(ctx, place));
  if (specs.length === 0) return;
  // In one order, so that two bodies that tell the same wait for each other and not both for both.
  const { rows } = await sql<Place>`
    with told as (
      select * from json_to_recordset(${JSON.stringify(specs)}::json) as spec (
        place integer, team_id uuid, user_id uuid, hash text, resources json, object_resource text, object_id text,
        span_from timestamptz, span_to timestamptz, deleted boolean, ended boolean)
    ), present as (
      select id from users where id in (select user_id from told) and deleted_at is null
       order by id for key share skip locked
    ), waiting as (
      select id, (select count(*) from (
        select from inbox where user_id = id and provider = ${provider} and worked_at is null and tries < ${MOST_TRIES}
         limit ${MOST_WAITING}) as of_them) as many from present
    ), fresh as (
      select told.*, many + row_number() over (partition by user_id order by place) as number
        from told join waiting on waiting.id = told.user_id
       where not exists (
         select from inbox where inbox.user_id = told.user_id and inbox.provider = ${provider}
            and inbox.hash = decode(told.hash, 'hex') and not (${repeats} and worked_at is not null))
    ), kept as (
      insert into inbox (user_id, provider, hash, team_id, resources, object_resource, object_id, span_from, span_to, deleted, ended)
      select user_id, ${provider}, decode(hash, 'hex'), team_id, array(select json_array_elements_text(resources)),
             object_resource, object_id, span_from, span_to, deleted, ended
        from fresh where number <= ${MOST_WAITING} order by user_id, hash
          on conflict (user_id, provider, hash) do update
             set worked_at = null, tries = 0, received_at = now() where ${repeats} and inbox.worked_at is not null
      returning team_id, user_id
    ) select distinct team_id, user_id from kept order by user_id`.execute(ctx.db);
  await addJobs(
    ctx.db,
    inboxKind,
    rows.map((place) => ({ payload: { ...place, provider } })),
  );
}

/** Each words once, as rows of the inbox. */
function rowsOf({ cipher }: TxCtx<Ctx>, { team_id, user_id, told }: Place & { told: Told[] }) {
  const byWords = new Map(told.map(({ news, words }) => [words, news]));
  return [...byWords].map(([words, { resources, object, span, deleted, ended }], place) => ({
    place,
    team_id,
    user_id,
    hash: cipher.lookupHash('news', team_id, words).toString('hex'),
    resources,
    object_resource: object?.resource ?? null,
    object_id: object?.id ?? null,
    span_from: span?.from ?? null,
    span_to: span?.to ?? null,
    deleted: deleted ?? false,
    ended: ended ?? false,
  }));
}
