import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { MARKER_WITH_RESULTS_JSON } from '../marker-json.ts';
import type { MarkerPage } from '../schemas.ts';
import { resolveOrderSet } from './resolve-order-set.ts';
import type { OrderSetInput } from './schemas.ts';

/** Returns a page of the markers that an order of the set would contain. Throws the same errors as resolveOrderSet. */
export async function listOrderSetMarkers(
  ctx: TeamCtx,
  set: Static<typeof OrderSetInput>,
  { page, size }: { page: number; size: number },
): Promise<Static<typeof MarkerPage>> {
  const { markerIds: ids } = await resolveOrderSet(ctx, set);
  const shown = ids.slice((page - 1) * size, page * size);
  const rows = await ctx.db
    .selectFrom('markers')
    .select(MARKER_WITH_RESULTS_JSON.as('marker'))
    .where(sql<boolean>`markers.id = any (${shown}::int[])`)
    .orderBy(sql`array_position(${shown}::int[], markers.id)`)
    .execute();
  const pages = Math.ceil(ids.length / size);
  return { markers: rows.map(({ marker }) => marker), total: ids.length, page, size, pages, pricing: null };
}
