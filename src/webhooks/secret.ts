import { sql } from 'kysely';
import type { TeamCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { tellOfChange } from '../delivery/receiver-cache.ts';
import { AppError, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import { newSecret } from '../delivery/sending/sign.ts';

/** How long a replaced secret keeps signing beside its successor, so that receivers can follow in peace. */
const OVERLAP_HOURS = 24;

/** Every secret that still signs lengthens the header that receivers have to take. */
const MOST_SECRETS = 5;

/** The newest secret: the one that receivers should verify with. */
export async function findSecret(ctx: TeamCtx, id: string): Promise<string> {
  const row = await ctx.db
    .selectFrom('webhook_secrets')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_secrets.webhook_id')
    .select(['webhook_secrets.id', 'secret'])
    .where('webhooks.team_id', '=', ctx.team.id)
    .where('webhooks.id', '=', id)
    .where('expires_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound('Webhook');
  return ctx.cipher.openText('webhook_secrets.secret', { team_id: ctx.team.id, id: row.id }, row.secret);
}

/** Makes `key`, or a new secret, the receiver's secret; the one before keeps signing for 24 hours. */
export function rotateSecret(ctx: TeamCtx, id: string, key: string | null): Promise<void> {
  const secret = key ?? newSecret();
  return inTransaction(ctx, async ({ db, cipher }) => {
    // The update also makes two rotations at the same moment wait for each other.
    const webhook = await db
      .updateTable('webhooks')
      .set({ updated_at: sql<string>`now()` })
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    if (!webhook) throw notFound('Webhook');
    const row = { team_id: ctx.team.id, id: newId() };
    const { rows: before } = await sql<{ id: string; secret: Buffer; ended: boolean }>`
      select id, secret, coalesce(expires_at <= now(), false) as ended
        from webhook_secrets where webhook_id = ${id}`.execute(db);
    const again = ({ id, secret: sealed }: { id: string; secret: Buffer }): boolean => {
      try {
        return cipher.openText('webhook_secrets.secret', { team_id: ctx.team.id, id }, sealed) === secret;
      } catch {
        // It was damaged, and a new one is the remedy.
        return false;
      }
    };
    const done = before.filter((old) => old.ended || again(old)).map((old) => old.id);
    await sql`delete from webhook_secrets where webhook_id = ${id} and id = any (${done}::uuid[])`.execute(db);
    await db
      .updateTable('webhook_secrets')
      .set({ expires_at: sql<string>`now() + make_interval(hours => ${OVERLAP_HOURS})` })
      .where('webhook_id', '=', id)
      .where('expires_at', 'is', null)
      .execute();
    await db
      .insertInto('webhook_secrets')
      .values({ ...row, webhook_id: id, secret: cipher.sealText('webhook_secrets.secret', row, secret) })
      .execute();
    await tellOfChange(db, id);
    const signing = before.length - done.length + 1;
    if (signing > MOST_SECRETS) {
      throw new AppError(
        'too_many_secrets',
        `At most ${MOST_SECRETS} secrets of an endpoint sign at the same time. ` +
          `An old one ends ${OVERLAP_HOURS} hours after its rotation.`,
      );
    }
  });
}
