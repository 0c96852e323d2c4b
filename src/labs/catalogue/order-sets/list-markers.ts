import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError, notFound } from '../../../errors.ts';
import { findAccountAt } from '../lab-accounts/find.ts';
import { MARKER_WITH_RESULTS_JSON } from '../marker-json.ts';
import { chooseMarkers } from '../own-tests/choose-markers.ts';
import type { MarkerPage } from '../schemas.ts';
import type { OrderSetMarkersInput } from './markers-schemas.ts';

/**
 * A page of what an order set comes to: the markers of its lab tests, then those beside them, each once. Throws
 * not_found, mixed_laboratories, lab_account_of_other_lab, order_set_ambiguous, duplicate_markers, no_markers.
 */
export async function listOrderSetMarkers(
  ctx: TeamCtx,
  { lab_test_ids, add_on, lab_account_id }: Static<typeof OrderSetMarkersInput>,
  { page, size }: { page: number; size: number },
): Promise<Static<typeof MarkerPage>> {
  const ofTests = await markersOf(ctx, [...new Set((lab_test_ids ?? []).map((id) => id.toLowerCase()))]);
  const beside = { marker_ids: add_on?.marker_ids, provider_ids: add_on?.provider_ids, lab_account_id };
  const isBeside = (beside.marker_ids?.length ?? 0) + (beside.provider_ids?.length ?? 0) > 0;
  const lab = ofTests[0]?.lab_id ?? null;
  const added = isBeside || ofTests.length === 0 ? await chooseMarkers(ctx, beside, lab) : [];
  const all = [...ofTests, ...added];
  if (new Set(all.map(({ lab_id }) => lab_id)).size > 1) {
    throw new AppError('mixed_laboratories', 'What is ordered together has to be of one laboratory.');
  }
  await findAccountAt(ctx, all[0]?.lab_id ?? null, lab_account_id ?? undefined);
  const ids = [...new Set(all.map(({ id }) => id))];
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

async function markersOf(ctx: TeamCtx, labTestIds: string[]): Promise<{ id: number; lab_id: number }[]> {
  if (labTestIds.length === 0) return [];
  const { rows } = await sql<{ test: string; id: number | null; lab_id: number }>`
    select lab_tests.id as test, ltm.marker_id as id, lab_tests.lab_id
      from lab_tests left join lab_test_markers ltm on ltm.lab_test_id = lab_tests.id
     where lab_tests.team_id = ${ctx.team.id} and lab_tests.id = any (${labTestIds}::uuid[])
     order by array_position(${labTestIds}::uuid[], lab_tests.id), ltm.position`.execute(ctx.db);
  if (new Set(rows.map(({ test }) => test)).size < labTestIds.length) throw notFound('Lab test');
  return rows.flatMap(({ id, lab_id }) => (id === null ? [] : [{ id, lab_id }]));
}
