import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import type { Lab } from './schemas.ts';

/** A row of `labs` in the shape of the wire. */
export const LAB_JSON = sql<Static<typeof Lab>>`json_build_object(
  'id', labs.id, 'slug', labs.slug, 'name', labs.name, 'first_line_address', labs.first_line_address,
  'city', labs.city, 'zipcode', labs.zipcode,
  'collection_methods', labs.collection_methods, 'sample_types', labs.sample_types)`;

/** Every laboratory of the platform: the same for all teams. */
export async function listLabs(ctx: TeamCtx): Promise<Static<typeof Lab>[]> {
  const rows = await ctx.db.selectFrom('labs').select(LAB_JSON.as('lab')).orderBy('labs.id').execute();
  return rows.map(({ lab }) => lab);
}
