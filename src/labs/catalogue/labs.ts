import { sql, type Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx, TeamCtx } from '../../context.ts';
import type { Labs } from '../../db/tables.ts';
import { notFound } from '../../errors.ts';
import type { Lab } from './schemas.ts';

/** A row of `labs` in the shape of the wire. */
export const LAB_JSON = sql<Static<typeof Lab>>`json_build_object(
  'id', labs.id, 'slug', labs.slug, 'name', labs.name, 'first_line_address', labs.first_line_address,
  'city', labs.city, 'zipcode', labs.zipcode,
  'collection_methods', labs.collection_methods, 'sample_types', labs.sample_types)`;

/** The laboratory of an id or of a slug. Throws not_found. */
export async function findLab({ db }: Pick<Ctx, 'db'>, named: number | string): Promise<Selectable<Labs>> {
  const lab = await db
    .selectFrom('labs')
    .selectAll()
    .where((is) => (typeof named === 'number' ? is('id', '=', named) : is('slug', '=', named)))
    .executeTakeFirst();
  if (!lab) throw notFound('Laboratory');
  return lab;
}

/** What a laboratory takes most of, where nothing says of what a lab test is. */
export const sampleTypeOf = ({ sample_types }: Pick<Selectable<Labs>, 'sample_types'>): string =>
  sample_types[0] ?? 'serum';

/** Every laboratory of the platform: the same for all teams. */
export async function listLabs(ctx: TeamCtx): Promise<Static<typeof Lab>[]> {
  const rows = await ctx.db.selectFrom('labs').select(LAB_JSON.as('lab')).orderBy('labs.id').execute();
  return rows.map(({ lab }) => lab);
}
