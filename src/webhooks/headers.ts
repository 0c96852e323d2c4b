import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { tellOfChange } from '../delivery/receiver-cache.ts';
import { AppError, notFound } from '../errors.ts';
import { checkHeaders } from './custom-headers.ts';
import type { WebhookHeaders } from './schemas.ts';

/** Names whose values open something: rather one too many than one too few. */
const SENSITIVE_NAME = /auth|cookie|credential|key|passw|secret|session|signature|token/i;

/** The headers that every delivery to this receiver carries; of sensitive ones only the names. */
export async function findHeaders(ctx: TeamCtx, id: string): Promise<Static<typeof WebhookHeaders>> {
  const webhook = await ctx.db
    .selectFrom('webhooks')
    .select('headers')
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!webhook) throw notFound('Webhook');
  const all = Object.entries(
    webhook.headers === null
      ? {}
      : ctx.cipher.openJson<Record<string, string>>('webhooks.headers', { team_id: ctx.team.id, id }, webhook.headers),
  );
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
  await inTransaction(ctx, async ({ db }) => {
    const changed = await db
      .updateTable('webhooks')
      .set({ headers: sealed, updated_at: sql<string>`now()` })
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    if (!changed) throw notFound('Webhook');
    await tellOfChange(db, id);
  });
}
