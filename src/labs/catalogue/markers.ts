import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { containing } from '../../db/like-pattern.ts';
import { notFound } from '../../errors.ts';
import { findLabTest } from './find.ts';
import { findAccountAtOrNull } from './lab-accounts/find.ts';
import { MARKER_JSON, MARKER_WITH_RESULTS_JSON } from './marker-json.ts';
import { priceMarkers } from './pricing.ts';
import type { Marker, MarkerPage, MarkerQuery, MarkersOfTestQuery } from './schemas.ts';

type Page = { page: number; size: number };
/** The lab account that the caller names, if any. The team must be allowed to use it. */
type Account = Pick<Static<typeof MarkersOfTestQuery>, 'lab_account_id'>;
type MarkerFilter = Omit<Static<typeof MarkerQuery>, keyof Page | 'include_pricing'> & { include_pricing: boolean };

/**
 * Returns a page of the markers of all laboratories, sorted by id. A marker must match every given filter. Throws
 * not_found for the account.
 */
export async function listMarkers(ctx: TeamCtx, filter: MarkerFilter & Page): Promise<Static<typeof MarkerPage>> {
  const account = await findAccountAtOrNull(ctx, null, filter.lab_account_id);
  const matching = ctx.db.selectFrom('markers').innerJoin('labs', 'labs.id', 'markers.lab_id')
    .where(sql<boolean>`(${filter.lab_id ?? null}::bigint[] is null
        or labs.id = any(${filter.lab_id ?? null}::bigint[]))
      and (${filter.lab_slug ?? null}::text is null or labs.slug = ${filter.lab_slug ?? null})
      and (${filter.name ?? null}::text is null or markers.name ilike ${containing(filter.name ?? '')})
      and (${account?.lab_id ?? null}::int is null or labs.id = ${account?.lab_id ?? null})
      and (${filter.a_la_carte_enabled ?? null}::boolean is null
        or markers.a_la_carte_enabled = ${filter.a_la_carte_enabled ?? null})`);
  const { total } = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .select(MARKER_WITH_RESULTS_JSON.as('marker'))
    .orderBy('markers.id')
    .limit(filter.size)
    .offset(offsetOf(filter))
    .execute();
  const markers = rows.map(({ marker }) => marker);
  const pricing = filter.include_pricing ? priceMarkers(markers, account) : null;
  return { markers, ...describePage(filter, total), pricing };
}

/** Returns a page of the markers of one of the team's lab tests, in the order of the lab test. */
export async function listMarkersOf(
  ctx: TeamCtx,
  labTestId: string,
  page: Account & Page,
): Promise<Static<typeof MarkerPage>> {
  const { id, lab_id } = await findLabTest(ctx, labTestId);
  await findAccountAtOrNull(ctx, lab_id, page.lab_account_id);
  const ofTest = ctx.db
    .selectFrom('lab_test_markers')
    .innerJoin('markers', 'markers.id', 'lab_test_markers.marker_id')
    .where('lab_test_markers.lab_test_id', '=', id);
  const { total } = await ofTest.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await ofTest
    .select(MARKER_WITH_RESULTS_JSON.as('marker'))
    .orderBy('lab_test_markers.position')
    .orderBy('markers.id')
    .limit(page.size)
    .offset(offsetOf(page))
    .execute();
  return { markers: rows.map(({ marker }) => marker), ...describePage(page, total), pricing: null };
}

/** Returns the marker of a laboratory with the order code `providerId`. */
export async function findMarker(
  ctx: TeamCtx,
  labId: number,
  providerId: string,
  { lab_account_id }: Account,
): Promise<Static<typeof Marker>> {
  const row = await ctx.db
    .selectFrom('markers')
    .select(MARKER_JSON.as('marker'))
    .where(sql<boolean>`markers.lab_id = ${labId}::bigint`)
    .where('markers.provider_id', '=', providerId)
    .executeTakeFirst();
  if (!row) throw notFound('Marker');
  await findAccountAtOrNull(ctx, labId, lab_account_id);
  return row.marker;
}

const offsetOf = ({ page, size }: Page): number => (page - 1) * size;

const describePage = ({ page, size }: Page, total: number): Page & { total: number; pages: number } => ({
  total,
  page,
  size,
  pages: Math.ceil(total / size),
});
