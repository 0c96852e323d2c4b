import { sql, type RawBuilder } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { containing } from '../../db/like-pattern.ts';
import { decodeCursor, isSortKey, takePage, type SortKey } from '../../db/cursor.ts';
import { AppError } from '../../errors.ts';
import { LAB_TEST_JSON } from './lab-test-json.ts';
import type { LabTest, LabTestPage, LabTestQuery } from './schemas.ts';
import { ownProperty } from '../../wire/own-property.ts';

type LabTestFilter = Static<typeof LabTestQuery>;
type OrderKey = LabTestFilter['order_key'];

type Row = { lab_test: LabTest; value: number };

/** The largest number of lab tests in a response without pages. A lab test with a hundred markers is 24 kB. */
const MAX_AT_ONCE = 300;

/** Returns all lab tests of the team that match every given filter. Throws too_many_matches. */
export async function listLabTests(ctx: TeamCtx, filter: LabTestFilter): Promise<LabTest[]> {
  const rows = await select(ctx, filter, { after: null, limit: MAX_AT_ONCE + 1 });
  if (rows.length > MAX_AT_ONCE) {
    throw new AppError(
      'too_many_matches',
      `More than ${MAX_AT_ONCE} lab tests match. GET /v3/lab_test lists them in pages.`,
    );
  }
  return rows.map(({ lab_test }) => lab_test);
}

/** Returns one page of the matching lab tests. The page begins after the last lab test of the page before. */
export async function pageLabTests(
  ctx: TeamCtx,
  filter: LabTestFilter,
  page: { limit: number; cursor?: string | undefined },
): Promise<Static<typeof LabTestPage>> {
  const order = orderOf(filter);
  const after = page.cursor === undefined ? null : decodeCursor(page.cursor, isSortKey(order));
  const found = await select(ctx, filter, { after, limit: page.limit + 1 });
  const { page: rows, next_cursor } = takePage(found, page.limit, ({ lab_test, value }): SortKey => [
    order,
    value,
    lab_test.id,
  ]);
  return { data: rows.map(({ lab_test }) => lab_test), next_cursor };
}

const orderOf = ({ order_key, order_direction }: LabTestFilter): string => `${order_key} ${order_direction}`;

/**
 * The value by which the list is sorted, as a whole number. A cursor contains this number, and a fraction could be
 * rounded there.
 */
const SORT_VALUE: Record<OrderKey, RawBuilder<number>> = {
  price: sql`(lab_tests.price * 100)::bigint`,
  created_at: sql`(extract(epoch from lab_tests.created_at) * 1000000)::bigint`,
  updated_at: sql`(extract(epoch from lab_tests.updated_at) * 1000000)::bigint`,
};

const GENERATED: Record<string, boolean[]> = { auto: [true], manual: [false], all: [true, false] };

// If the request lacks a filter, we pass null for it instead of leaving it out of the statement. So there are few
// different statement texts, and PostgreSQL prepares each of them once.
function select(ctx: TeamCtx, filter: LabTestFilter, page: { after: SortKey | null; limit: number }): Promise<Row[]> {
  const {
    order_key,
    order_direction,
    generation_method,
    lab_slug = null,
    collection_method = null,
    status = null,
    marker_ids = null,
    provider_ids = null,
    name = null,
  } = filter;
  const value = SORT_VALUE[order_key];
  const query = ctx.db
    .selectFrom('lab_tests')
    .innerJoin('labs', 'labs.id', 'lab_tests.lab_id')
    .select([LAB_TEST_JSON.as('lab_test'), value.as('value')])
    .where('lab_tests.team_id', '=', ctx.team.id)
    .where(
      sql<boolean>`lab_tests.auto_generated = any(${ownProperty(GENERATED, generation_method) ?? []}::boolean[])
      and (${lab_slug}::text is null or labs.slug = ${lab_slug})
      and (${collection_method}::text is null or lab_tests.method = ${collection_method})
      and (${status}::text is null or lab_tests.status = ${status})
      and (${name}::text is null or lab_tests.name ilike ${containing(name ?? '')})
      and not exists (select from unnest(${marker_ids}::bigint[]) wanted where not exists (
        select from lab_test_markers ltm where ltm.lab_test_id = lab_tests.id and ltm.marker_id = wanted))
      and not exists (select from unnest(${provider_ids}::text[]) wanted where not exists (
        select from lab_test_markers ltm join markers on markers.id = ltm.marker_id
         where ltm.lab_test_id = lab_tests.id and markers.provider_id = wanted))`,
    )
    .orderBy(value, order_direction)
    .orderBy('lab_tests.id', order_direction)
    .limit(sql<number>`${page.limit}::bigint`);
  if (page.after === null) return query.execute();
  const [, lastValue, lastId] = page.after;
  const behind = order_direction === 'asc' ? sql`>` : sql`<`;
  return query
    .where(sql<boolean>`(${value}, lab_tests.id) ${behind} (${lastValue}::bigint, ${lastId}::uuid)`)
    .execute();
}
