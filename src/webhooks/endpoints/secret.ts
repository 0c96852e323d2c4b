import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newKeyPair, publicKeyOf } from '../../delivery/sending/key-pair.ts';
import { newSecret } from '../../delivery/sending/sign.ts';
import { notifyEndpointChange } from '../../delivery/endpoint-cache.ts';
import { AppError, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { throwIfKeyIsUnknown } from '../../privacy/missing-encryption-key.ts';

type Signature = 'v1' | 'v1a';

/**
 * The most secrets (v1) and key pairs (v1a) of an endpoint that sign at the same time. Each adds a signature to every
 * delivery, which takes time and makes the header longer. We allow fewer key pairs, because an ed25519 signature takes
 * as much time as ten HMAC signatures.
 */
const MAX_SIGNING = { v1: 5, v1a: 3 };

/** Returns the newest secret. With it the customer's endpoint verifies signatures. Throws not_found. */
export async function findSecret(ctx: TeamCtx, id: string): Promise<string> {
  const secret = await findCurrentOrNull(ctx, id, 'v1');
  if (secret === null) throw notFound('Webhook');
  return secret;
}

/** Returns the public key of the newest key pair, or null if there is none. */
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

/**
 * Creates a key pair for an endpoint that has none. The caller has created or locked the endpoint in the same
 * transaction.
 */
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

/**
 * Replaces the secret by `key`, or by a new one if `key` is null. Former secrets continue to sign for at most
 * `overlapHours`.
 */
export const rotateSecret = (
  ctx: TeamCtx,
  id: string,
  { key, overlapHours }: { key: string | null; overlapHours: number },
): Promise<void> => rotate(ctx, id, { signature: 'v1', secret: key ?? newSecret(), overlapHours });

/**
 * Replaces the key pair, as rotateSecret does with secrets. The caller cannot pass a key pair. So nobody outside of the
 * service has the private key.
 */
export const rotateKeyPair = (ctx: TeamCtx, id: string, { overlapHours }: { overlapHours: number }): Promise<void> =>
  rotate(ctx, id, { signature: 'v1a', secret: newKeyPair(), overlapHours });

type Rotation = { signature: Signature; secret: string; overlapHours: number };

function rotate(ctx: TeamCtx, id: string, { signature, secret, overlapHours }: Rotation): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    // This update also locks the endpoint, so that two rotations at the same time run one after the other.
    const webhook = await db
      .updateTable('webhooks')
      .set({ updated_at: sql<string>`now()` })
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    if (!webhook) throw notFound('Webhook');
    const { rows: before } = await sql<StoredSecret>`
      update webhook_secrets set expires_at = least(expires_at, now() + make_interval(hours => ${overlapHours}))
       where webhook_id = ${id} and signature = ${signature}
      returning id, secret, expires_at <= now() as ended`.execute(db);
    const done = before.filter((old) => old.ended || equalInConstantTime(ctx, old, secret)).map((old) => old.id);
    await sql`delete from webhook_secrets where webhook_id = ${id} and id = any (${done}::uuid[])`.execute(db);
    await addSecret(ctx, { webhook_id: id, signature, secret });
    await notifyEndpointChange(db, id);
    const signing = before.length - done.length + 1;
    if (signing > MAX_SIGNING[signature]) {
      throw new AppError(
        'too_many_secrets',
        `At most ${MAX_SIGNING[signature]} ${signature === 'v1' ? 'secrets' : 'key pairs'} of an endpoint sign ` +
          'at the same time. Wait until an old one has ended, or end them sooner by a smaller keep_old_hours.',
      );
    }
  });
}

type StoredSecret = { id: string; secret: Buffer; ended: boolean };

function equalInConstantTime({ cipher, team }: TeamCtx, { id, secret: sealed }: StoredSecret, secret: string): boolean {
  try {
    return cipher.openText('webhook_secrets.secret', { team_id: team.id, id }, sealed) === secret;
  } catch (error) {
    throwIfKeyIsUnknown(error);
    // The stored value is damaged, so it cannot equal the new secret. The rotation continues, because a new secret
    // repairs the endpoint.
    return false;
  }
}
