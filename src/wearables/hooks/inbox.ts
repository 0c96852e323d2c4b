import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { jobKind } from '../../db/define-job.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../providers/provider-catalogue.ts';

/** The job that works on the notifications about one connection. */
export const inboxKind = jobKind({
  name: 'work_inbox',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, provider: oneOf(PROVIDER_SLUGS) }),
  key: ({ user_id, provider }) => `inbox ${user_id} ${provider}`,
  ownerOf: ({ team_id }) => team_id,
});

/** A notification that waits: its connection, and the data to pull. */
export type InboxRow = {
  hash: Buffer;
  resources: string[];
  object_resource: string | null;
  object_id: string | null;
  span_from: string | null;
  span_to: string | null;
  deleted: boolean;
  ended: boolean;
};

type ConnectionKey = { user_id: string; provider: string };

/** The most tries for a notification. After that, the data comes with the next poll. */
export const MAX_TRIES = 8;
const MAX_ROWS = 100;

/** Whether notifications wait for a connection that is able to bring data. */
export async function isWaiting({ db, team }: TeamCtx, { user_id, provider }: ConnectionKey): Promise<boolean> {
  const { rows } = await sql`
    select from inbox join connections using (user_id, provider) join polls using (user_id, provider)
      join users on users.id = user_id
     where user_id = ${user_id} and provider = ${provider} and inbox.team_id = ${team.id} and worked_at is null
       and tries < ${MAX_TRIES} and connections.status = 'connected' and users.deleted_at is null limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Returns the notifications that wait, the oldest first. Counts this try before the work begins. If it were counted
 * afterwards, a try that crashes the process would be repeated forever.
 */
export async function takeRows({ db, team }: TeamCtx, { user_id, provider }: ConnectionKey): Promise<InboxRow[]> {
  const { rows } = await sql<InboxRow>`
    update inbox set tries = tries + 1
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
       and hash = any (array (
         select hash from inbox where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
            and worked_at is null and tries < ${MAX_TRIES} order by received_at limit ${MAX_ROWS}))
    returning hash, resources, object_resource, object_id, span_from, span_to, deleted, ended`.execute(db);
  return rows;
}

/**
 * Takes the last try back from the count. Call it if the try was deferred before any request to the provider. Otherwise
 * Phial could give a notification about a deletion up too early, and polls do not report deletions.
 */
export async function giveTryBack(
  { db, team }: TeamCtx,
  { user_id, provider }: ConnectionKey,
  rows: InboxRow[],
): Promise<void> {
  await sql`
    update inbox set tries = tries - 1
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
       and hash = any (${rows.map(({ hash }) => hash)}::bytea[])`.execute(db);
}

export async function markWorked(
  { db, team }: TeamCtx,
  { user_id, provider }: ConnectionKey,
  rows: InboxRow[],
): Promise<void> {
  await sql`
    update inbox set worked_at = now()
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
       and hash = any (${rows.map(({ hash }) => hash)}::bytea[])`.execute(db);
}
