import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { tellOfChange } from '../../delivery/receiver-cache.ts';
import { AppError, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { checkHeaders } from './check-headers.ts';
import type { WebhookHeaders } from './schemas.ts';

/** Names whose values open something: rather one too many than one too few. */
const SENSITIVE_NAME = /auth|cookie|credential|key|passw|secret|session|signature|token/i;

type Shown = Static<typeof WebhookHeaders>;

/** Sets of headers that attempts of one endpoint may tell of, those before are forgotten: each PUT makes one. */
const MOST_KEPT_SETS = 100;

/** The headers that every delivery to this receiver carries; of sensitive ones only the names. */
export async function findHeaders(ctx: TeamCtx, id: string): Promise<Shown> {
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

function shown(headers: Record<string, string>): Shown {
  const all = Object.entries(headers);
  return {
    headers: Object.fromEntries(all.filter(([name]) => !SENSITIVE_NAME.test(name))),
    sensitive: all.map(([name]) => name).filter((name) => SENSITIVE_NAME.test(name)),
  };
}

/** Puts `headers` in the place of all headers there were, the sensitive ones included. */
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
    if (headers_id !== null) await keepHeaderSet(ctx, { id: headers_id, webhook_id: id }, shown(headers));
    await tellOfChange(ctx.db, id);
  });
}

/** For attempts to tell of, which name the set that they sent: what is sensitive is not in it. */
async function keepHeaderSet(
  { db, cipher, team }: TxCtx<TeamCtx>,
  set: { id: string; webhook_id: string },
  headers: Shown,
): Promise<void> {
  const row = { team_id: team.id, ...set };
  const sealed = cipher.sealJson('webhook_header_sets.headers', row, headers);
  await db
    .insertInto('webhook_header_sets')
    .values({ ...row, headers: sealed })
    .execute();
  await sql`
    delete from webhook_header_sets where webhook_id = ${set.webhook_id} and id in (
      select id from webhook_header_sets where webhook_id = ${set.webhook_id} order by id desc offset ${MOST_KEPT_SETS})`.execute(
    db,
  );
}

/** What an attempt sent of the endpoint's own headers; null where that is not kept. */
export async function findHeaderSetOrNull({ db, cipher, team }: TeamCtx, id: string): Promise<Shown | null> {
  const row = { team_id: team.id, id };
  const set = await db
    .selectFrom('webhook_header_sets')
    .select('headers')
    .where('team_id', '=', row.team_id)
    .where('id', '=', row.id)
    .executeTakeFirst();
  return set?.headers ? cipher.openJson<Shown>('webhook_header_sets.headers', row, set.headers) : null;
}

/** What deliveries carried until now is what attempts of the past tell of, as long as they are kept. */
export async function replaceHeaderSet({ db, team }: TxCtx<TeamCtx>, webhookId: string): Promise<void> {
  await sql`
    update webhook_header_sets set replaced_at = now()
     where webhook_id = ${webhookId} and team_id = ${team.id} and replaced_at is null`.execute(db);
}
