import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx, OrgSignedCtx, TxCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import type { EhrConfiguration, EhrConfigurationInput } from './schemas.ts';

type Configuration = Static<typeof EhrConfiguration>;

/** Returns the configuration of the organisation's EHR (electronic health record system), or null if it has none. */
export async function findConfigurationOrNull({
  db,
  org,
}: Pick<ManagementCtx | TxCtx<ManagementCtx> | OrgSignedCtx, 'db' | 'org'>): Promise<Configuration | null> {
  const row = await db
    .selectFrom('ehr_configurations')
    .select(['slug', 'modalities', 'origin_configs'])
    .where('org_id', '=', org.id)
    .executeTakeFirst();
  return (row as Configuration | undefined) ?? null;
}

/** Returns the EHR configuration of the organisation. Throws not_found if it has none. */
export async function findConfiguration(ctx: ManagementCtx): Promise<Configuration> {
  const found = await findConfigurationOrNull(ctx);
  if (!found) throw notFound('Configuration');
  return found;
}

/**
 * Replaces the EHR configuration with all its properties. Throws ehr_slug_taken if another organisation has the slug.
 * The error does not name that organisation.
 */
export async function putConfiguration(
  ctx: ManagementCtx,
  { slug, modalities, origin_configs }: Static<typeof EhrConfigurationInput>,
): Promise<Configuration> {
  const whole = {
    slug,
    modalities: [...new Set(modalities)],
    origin_configs: origin_configs.map(({ origin, session_continuation_url = null }) => ({
      origin,
      session_continuation_url,
    })),
  };
  const stored = { ...whole, origin_configs: JSON.stringify(whole.origin_configs) };
  try {
    await ctx.db
      .insertInto('ehr_configurations')
      .values({ org_id: ctx.org.id, ...stored })
      .onConflict((oc) => oc.column('org_id').doUpdateSet({ ...stored, updated_at: sql`now()` }))
      .execute();
  } catch (error) {
    // If two requests use the same slug at the same moment, the unique index accepts only one.
    if ((error as { constraint?: string }).constraint !== 'ehr_configurations_slug_key') throw error;
    throw new AppError('ehr_slug_taken', 'This slug is in use. Choose another.');
  }
  return whole;
}
