import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx, TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockName } from '../../db/session/named-lock.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { connectorOrNull } from '../providers/registry.ts';
import { restoreHidden } from './details.ts';
import { CREDENTIAL_COLUMNS, openDetails, renderCredentials, type CredentialRow } from './render.ts';
import type { Credentials, CredentialsInput } from './schemas.ts';

type Input = Static<typeof CredentialsInput>;
type Ctx = ManagementCtx & TeamCtx;
type StoredCredentials = CredentialRow & { client_secret: Buffer | null; retired_at: string | null };

/**
 * The most retired applications that a team may have at one provider. A retired application remains while it has
 * connections.
 */
const MAX_RETIRED = 10;

/**
 * Sets a team's credentials at a provider. Another `client_id` is another application: the former one is retired, and
 * the new one takes over none of its values. Throws credentials_incomplete, limit_reached.
 */
export function setCredentials(ctx: Ctx, input: Input): Promise<Static<typeof Credentials>> {
  return inTransaction(ctx, async (ctx) => {
    const all = await lockAll(ctx, input.provider);
    const current = all.find(({ retired_at }) => retired_at === null);
    const client_id = input.client_id === undefined ? (current?.client_id ?? null) : input.client_id;
    const same = current?.client_id === client_id ? current : undefined;
    const row = same ?? all.find((each) => each.client_id === client_id);
    if (current && !same) await retire(ctx, current, all);
    const rowKey = { team_id: ctx.team.id, id: row?.id ?? newId() };
    const secret = secretOf(ctx, rowKey, input, same);
    if (connectorOrNull(input.provider) && (client_id === null || secret.client_secret === null))
      throw new AppError(
        'credentials_incomplete',
        'An application at this provider needs its client_id and its client_secret.',
      );
    const values = {
      ...secret,
      details: detailsOf(ctx, rowKey, input, same),
      redirect_url_override:
        input.redirect_url_override === undefined ? (same?.redirect_url_override ?? null) : input.redirect_url_override,
    };
    const set = await ctx.db
      .insertInto('team_credentials')
      .values({ ...rowKey, ...values, org_id: ctx.org.id, provider: input.provider, client_id })
      .onConflict((oc) =>
        oc.columns(['team_id', 'id']).doUpdateSet({ ...values, retired_at: null, updated_at: sql<string>`now()` }),
      )
      .returning(CREDENTIAL_COLUMNS)
      .executeTakeFirstOrThrow();
    return renderCredentials(ctx, set);
  });
}

/**
 * Locks and returns the team's current and retired credentials at the provider. If two calls run at the same time, the
 * second one waits.
 */
async function lockAll({ db, team }: TxCtx<Ctx>, provider: string): Promise<StoredCredentials[]> {
  await lockName(db, 'credentials', team.id, provider);
  return db
    .selectFrom('team_credentials')
    .select([...CREDENTIAL_COLUMNS, 'client_secret', 'retired_at'])
    .where('team_id', '=', team.id)
    .where('provider', '=', provider)
    .execute();
}

async function retire({ db, team }: TxCtx<Ctx>, { id }: StoredCredentials, all: StoredCredentials[]): Promise<void> {
  if (all.length > MAX_RETIRED)
    throw new AppError(
      'limit_reached',
      `Connections of this team come from ${MAX_RETIRED} applications that were replaced: end those, ` +
        'or try again in two hours.',
      { fields: { limit: MAX_RETIRED } },
    );
  await db
    .updateTable('team_credentials')
    .set({ retired_at: sql<string>`now()` })
    .where('team_id', '=', team.id)
    .where('id', '=', id)
    .execute();
}

type RowKey = { team_id: string; id: string };

function secretOf(
  { cipher }: TxCtx<Ctx>,
  rowKey: RowKey,
  { client_secret, provider }: Input,
  same: StoredCredentials | undefined,
): { client_secret: Buffer | null; client_secret_hash: Buffer | null } {
  if (client_secret === undefined)
    return { client_secret: same?.client_secret ?? null, client_secret_hash: same?.client_secret_hash ?? null };
  if (client_secret === null) return { client_secret: null, client_secret_hash: null };
  return {
    client_secret: cipher.sealText('team_credentials.client_secret', rowKey, client_secret),
    client_secret_hash: cipher.lookupHash('client_secret', rowKey.team_id, `${provider} ${client_secret}`),
  };
}

function detailsOf(
  ctx: TxCtx<Ctx>,
  rowKey: RowKey,
  { details }: Input,
  same: StoredCredentials | undefined,
): Buffer | null {
  if (details === undefined) return same?.details ?? null;
  if (details === null) return null;
  const restored = restoreHidden(details, same ? openDetails(ctx, same) : null);
  return ctx.cipher.sealJson('team_credentials.details', rowKey, restored);
}
