import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notifyEndpointChange } from '../../delivery/endpoint-cache.ts';
import { AppError, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { checkHeaders } from './check-headers.ts';
import type { WebhookHeaders } from './schemas.ts';

/** Matches names of headers whose values may be secrets. If another name matches too, we only hide its value. */
const SENSITIVE_NAME = /auth|cookie|credential|key|passw|secret|session|signature|token/i;

type ShownHeaders = Static<typeof WebhookHeaders>;

/**
 * The most sets of headers that we store for one endpoint, so that old attempts can still show their headers. Each PUT
 * makes a set. If there are more, it deletes the oldest sets.
 */
const MAX_STORED_SETS = 100;

/**
 * Returns the headers that the team adds to every delivery to this endpoint. If the value of a header may be a secret,
 * it returns only the name. Throws not_found.
 */
export async function findHeaders(ctx: TeamCtx, id: string): Promise<ShownHeaders> {
  const webhook = await ctx.db
    .selectFrom('webhooks')
    .select('headers')
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!webhook) throw notFound('Webhook');
  if (webhook.headers === null) return shown({});
  return shown(ctx.cipher.openJson('webhooks.headers', { team_id: ctx.team.id, id }, webhook.headers));
}

function shown(headers: Record<string, string>): ShownHeaders {
  const all = Object.entries(headers);
  return {
    headers: Object.fromEntries(all.filter(([name]) => !SENSITIVE_NAME.test(name))),
    sensitive: all.map(([name]) => name).filter((name) => SENSITIVE_NAME.test(name)),
  };
}

/**
 * Replaces all headers of the endpoint, including those that may be secrets. Throws not_found and
 * webhook_headers_refused.
 */
export async function putHeaders(ctx: TeamCtx, id: string, headers: Record<string, string>): Promise<void> {
  const problems = checkHeaders(headers);
  if (problems.length > 0) {
    throw new AppError('webhook_headers_refused', problems.join(' '), {
      detail: problems.map((msg) => ({ type: 'value_error', loc: ['body', 'headers'], msg })),
    });
  }
  const sealed = ctx.cipher.sealJson('webhooks.headers', { team_id: ctx.team.id, id }, headers);
  const headers_id = Object.keys(headers).length === 0 ? null : newId();
  await inTransaction(ctx, async (ctx) => {
    const changed = await ctx.db
      .updateTable('webhooks')
      .set({ headers: sealed, headers_id, updated_at: sql<string>`now()` })
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    if (!changed) throw notFound('Webhook');
    await replaceHeaderSet(ctx, id);
    if (headers_id !== null) await storeHeaderSet(ctx, { id: headers_id, webhook_id: id }, shown(headers));
    await notifyEndpointChange(ctx.db, id);
  });
}

/** Stores a set of headers, without values that may be secrets. Attempts refer to the set by its id. */
async function storeHeaderSet(
  { db, cipher, team }: TxCtx<TeamCtx>,
  set: { id: string; webhook_id: string },
  headers: ShownHeaders,
): Promise<void> {
  const row = { team_id: team.id, ...set };
  const sealed = cipher.sealJson('webhook_header_sets.headers', row, headers);
  await db
    .insertInto('webhook_header_sets')
    .values({ ...row, headers: sealed })
    .execute();
  await sql`
    delete from webhook_header_sets where webhook_id = ${set.webhook_id} and id in (
      select id from webhook_header_sets where webhook_id = ${set.webhook_id}
          order by id desc offset ${MAX_STORED_SETS})`.execute(db);
}

/** Returns the set of headers that an attempt sent, or null if the set was deleted. */
export async function findHeaderSetOrNull({ db, cipher, team }: TeamCtx, id: string): Promise<ShownHeaders | null> {
  const row = { team_id: team.id, id };
  const set = await db
    .selectFrom('webhook_header_sets')
    .select('headers')
    .where('team_id', '=', row.team_id)
    .where('id', '=', row.id)
    .executeTakeFirst();
  return set?.headers ? cipher.openJson<ShownHeaders>('webhook_header_sets.headers', row, set.headers) : null;
}

/** Marks the current set of headers as replaced. `dropExpired` deletes it when no stored attempt can refer to it. */
export async function replaceHeaderSet({ db, team }: TxCtx<TeamCtx>, webhookId: string): Promise<void> {
  await sql`
    update webhook_header_sets set replaced_at = now()
     where webhook_id = ${webhookId} and team_id = ${team.id} and replaced_at is null`.execute(db);
}
