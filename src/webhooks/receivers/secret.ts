import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newKeyPair, publicKeyOf } from '../../delivery/sending/key-pair.ts';
import { newSecret } from '../../delivery/sending/sign.ts';
import { tellOfChange } from '../../delivery/receiver-cache.ts';
import { AppError, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { throwIfKeyIsUnknown } from '../../privacy/unknown-key.ts';

type Signature = 'v1' | 'v1a';

/** What still signs lengthens the header that receivers have to take; a signature of ed25519 costs ten of HMAC. */
const MOST_SIGNING = { v1: 5, v1a: 3 };

/** The newest secret: the one that receivers should verify with. */
export async function findSecret(ctx: TeamCtx, id: string): Promise<string> {
  const secret = await findCurrentOrNull(ctx, id, 'v1');
  if (secret === null) throw notFound('Webhook');
  return secret;
}

/** The public half of the newest key pair; null where none was made. */
export async function findPublicKeyOrNull(ctx: TeamCtx, id: string): Promise<string | null> {
  const keyPair = await findCurrentOrNull(ctx, id, 'v1a');
  return keyPair === null ? null : publicKeyOf(keyPair);
}

async function findCurrentOrNull(ctx: TeamCtx, id: string, signature: Signature): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('webhooks')
    .leftJoin('webhook_secrets', (join) =>
      join
        .onRef('webhook_secrets.webhook_id', '=', 'webhooks.id')
        .on('signature', '=', signature)
        .on('expires_at', 'is', null),
    )
    .select(['webhook_secrets.id', 'secret'])
    .where('webhooks.team_id', '=', ctx.team.id)
    .where('webhooks.id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('Webhook');
  if (row.id === null || row.secret === null) return null;
  return ctx.cipher.openText('webhook_secrets.secret', { team_id: ctx.team.id, id: row.id }, row.secret);
}

/** Makes a key pair for a receiver that has none. Whoever calls it has made or locked the receiver. */
export async function ensureKeyPair(ctx: TxCtx<TeamCtx>, id: string): Promise<void> {
  const found = await ctx.db
    .selectFrom('webhook_secrets')
    .select('id')
    .where('webhook_id', '=', id)
    .where('signature', '=', 'v1a')
    .where('expires_at', 'is', null)
    .executeTakeFirst();
  if (!found) await addSecret(ctx, { webhook_id: id, signature: 'v1a', secret: newKeyPair() });
}

export async function addSecret(
  { db, cipher, team }: TxCtx<TeamCtx>,
  { webhook_id, signature, secret }: { webhook_id: string; signature: Signature; secret: string },
): Promise<void> {
  const row = { team_id: team.id, id: newId() };
  const sealed = cipher.sealText('webhook_secrets.secret', row, secret);
  await db
    .insertInto('webhook_secrets')
    .values({ ...row, webhook_id, signature, secret: sealed })
    .execute();
}

/** Makes `key`, or a new secret, the receiver's secret; those before sign for `keepOldHours` more at most. */
export const rotateSecret = (
  ctx: TeamCtx,
  id: string,
  { key, keepOldHours }: { key: string | null; keepOldHours: number },
): Promise<void> => rotate(ctx, id, { signature: 'v1', secret: key ?? newSecret(), keepOldHours });

/** The same for the key pair, which is always a new one: a private key that nobody else ever had. */
export const rotateKeyPair = (ctx: TeamCtx, id: string, { keepOldHours }: { keepOldHours: number }): Promise<void> =>
  rotate(ctx, id, { signature: 'v1a', secret: newKeyPair(), keepOldHours });

type Rotation = { signature: Signature; secret: string; keepOldHours: number };

function rotate(ctx: TeamCtx, id: string, { signature, secret, keepOldHours }: Rotation): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    // The update also makes two rotations at the same moment wait for each other.
    const webhook = await db
      .updateTable('webhooks')
      .set({ updated_at: sql<string>`now()` })
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    if (!webhook) throw notFound('Webhook');
    const { rows: before } = await sql<Stored>`
      update webhook_secrets set expires_at = least(expires_at, now() + make_interval(hours => ${keepOldHours}))
       where webhook_id = ${id} and signature = ${signature}
      returning id, secret, expires_at <= now() as ended`.execute(db);
    const done = before.filter((old) => old.ended || isSame(ctx, old, secret)).map((old) => old.id);
    await sql`delete from webhook_secrets where webhook_id = ${id} and id = any (${done}::uuid[])`.execute(db);
    await addSecret(ctx, { webhook_id: id, signature, secret });
    await tellOfChange(db, id);
    const signing = before.length - done.length + 1;
    if (signing > MOST_SIGNING[signature]) {
      throw new AppError(
        'too_many_secrets',
        `At most ${MOST_SIGNING[signature]} ${signature === 'v1' ? 'secrets' : 'key pairs'} of an endpoint sign at the same ` +
          'time. Wait until an old one has ended, or end them sooner by a smaller keep_old_hours.',
      );
    }
  });
}

type Stored = { id: string; secret: Buffer; ended: boolean };

function isSame({ cipher, team }: TeamCtx, { id, secret: sealed }: Stored, secret: string): boolean {
  try {
    return cipher.openText('webhook_secrets.secret', { team_id: team.id, id }, sealed) === secret;
  } catch (error) {
    throwIfKeyIsUnknown(error);
    // It was damaged, and a new one is the remedy.
    return false;
  }
}
