import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx, OrgSignedCtx, TxCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import type { EhrConfiguration, EhrConfigurationInput } from './schemas.ts';

type Configuration = Static<typeof EhrConfiguration>;

/** How an EHR works with the organisation; null where nothing is configured. */
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

/** Throws not_found. */
export async function findConfiguration(ctx: ManagementCtx): Promise<Configuration> {
  const found = await findConfigurationOrNull(ctx);
  if (!found) throw notFound('Configuration');
  return found;
}

/** The whole of it. Throws ehr_slug_taken where another organisation has the slug, whichever that is. */
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
    // Of two that take a slug at the same moment, the index lets one.
    if ((error as { constraint?: string }).constraint !== 'ehr_configurations_slug_key') throw error;
    throw new AppError('ehr_slug_taken', 'This slug is taken. Choose another.');
  }
  return whole;
}
