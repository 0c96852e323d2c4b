import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { findApplicationOrNull } from '../../connections/applications/find-application.ts';
import { connect } from '../../connections/connect.ts';
import type { ProviderSlug } from '../../providers/provider-catalogue.ts';
import { schedulePulls } from '../../pulls/schedule-pulls.ts';
import { recordBulkOp } from './record-bulk-op.ts';
import type { BulkImport, BulkImportInput } from '../schemas.ts';

type Input = Static<typeof BulkImportInput>;
type Recipe = Input['connections'][number];

/**
 * Connects users of the team with tokens that they granted to the team's application elsewhere. If a request names a
 * user twice, the last entry counts. One transaction connects all users. It is short enough for the request to wait for
 * it.
 */
export function bulkImport(ctx: TeamCtx, { provider, connections }: Input): Promise<Static<typeof BulkImport>> {
  return inTransaction(ctx, async (ctx) => {
    const recipes = new Map(connections.map((recipe) => [recipe.user_id, recipe]));
    const application = await findApplicationOrNull(ctx, provider);
    const credential_id = application?.own?.credential_id ?? null;
    const users = await presentUsers(ctx, [...recipes.keys()]);
    for (const user of users) {
      const grant = { ...grantOf(recipes.get(user.id) as Recipe), credential_id };
      await connect(ctx, user, provider as ProviderSlug, grant);
      const { granted_scopes } = grant;
      await schedulePulls(ctx, user, {
        provider: provider as ProviderSlug,
        demo: false,
        granted_scopes,
        credential_id,
      });
    }
    await recordBulkOp(ctx, { type: 'link_bulk_import', provider, processed: recipes.size });
    const imported = users.map(({ id }) => id);
    return {
      user_ids_imported: imported,
      user_ids_failed: [...recipes.keys()].filter((id) => !imported.includes(id)),
    };
  });
}

/**
 * Returns those users that exist, ordered by id. All imports connect users in this order. Otherwise two imports of the
 * same users could deadlock.
 */
async function presentUsers(
  { db, team }: TxCtx<TeamCtx>,
  ids: string[],
): Promise<{ id: string; client_user_id: string; ingestion_start: string | null; ingestion_end: string | null }[]> {
  return db
    .selectFrom('users')
    .select(['id', 'client_user_id', 'ingestion_start', 'ingestion_end'])
    .where(sql<boolean>`id = any (${ids}::uuid[])`)
    .where('team_id', '=', team.id)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

const grantOf = ({ access_token, refresh_token, provider_id, expires_at, oauth_scopes }: Recipe) => ({
  external_user_id: provider_id,
  granted_scopes: oauth_scopes ?? null,
  tokens: { access_token, refresh_token, expires_at: new Date(expires_at * 1000).toISOString() },
});
