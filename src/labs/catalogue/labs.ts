import { sql, type Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx, TeamCtx } from '../../context.ts';
import type { Labs } from '../../db/tables.ts';
import { notFound } from '../../errors.ts';
import type { Lab } from './schemas.ts';

/** A row of `labs` in the shape of the API. */
export const LAB_JSON = sql<Static<typeof Lab>>`json_build_object(
  'id', labs.id, 'slug', labs.slug, 'name', labs.name, 'first_line_address', labs.first_line_address,
  'city', labs.city, 'zipcode', labs.zipcode,
  'collection_methods', labs.collection_methods, 'sample_types', labs.sample_types)`;

/** Returns the laboratory with this id or slug. Throws not_found. */
export async function findLab({ db }: Pick<Ctx, 'db'>, named: number | string): Promise<Selectable<Labs>> {
  const lab = await db
    .selectFrom('labs')
    .selectAll()
    .where((is) => (typeof named === 'number' ? is('id', '=', named) : is('slug', '=', named)))
    .executeTakeFirst();
  if (!lab) throw notFound('Laboratory');
  return lab;
}

/** Returns the laboratory's main sample type. A lab test without its own sample type gets this one. */
export const sampleTypeOf = ({ sample_types }: Pick<Selectable<Labs>, 'sample_types'>): string =>
  sample_types[0] ?? 'serum';

/** Lists all laboratories. The list is the same for every team. */
export async function listLabs(ctx: TeamCtx): Promise<Static<typeof Lab>[]> {
  const rows = await ctx.db.selectFrom('labs').select(LAB_JSON.as('lab')).orderBy('labs.id').execute();
  return rows.map(({ lab }) => lab);
}
