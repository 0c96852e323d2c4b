import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError, notFound } from '../../../errors.ts';
import type { CollectionMethod } from '../schemas.ts';
import type { OrderSetInput } from './schemas.ts';

/** A lab test of a set, with what a lab test that is made of several takes over from it. */
type TestOfSet = {
  id: string;
  name: string;
  method: CollectionMethod;
  status: string;
  lab_id: number;
  sample_type: string;
  price: number;
  fasting: boolean;
  common_tat_days: number | null;
  worst_case_tat_days: number | null;
  marker_ids: number[];
};

type MarkerOfSet = {
  id: number;
  name: string;
  lab_id: number;
  provider_id: string;
  price: string | null;
  a_la_carte_enabled: boolean;
  common_tat_days: number | null;
  worst_case_tat_days: number | null;
};

/** A set whose parts fit together. */
export type OrderSet = {
  lab_id: number;
  tests: TestOfSet[];
  /** Those beside the tests. */
  addOns: MarkerOfSet[];
  /** Of both, each once: the tests' first, in their order. */
  markerIds: number[];
};

/**
 * What an order set names. Throws not_found for a lab test or marker, lab_test_not_orderable, marker_not_orderable,
 * mixed_laboratories, order_set_ambiguous where order codes are those of several laboratories, and no_markers.
 *
 * @param labId the laboratory of the account that is ordered under; null where none is named
 */
export async function resolveOrderSet(
  ctx: TeamCtx,
  set: Static<typeof OrderSetInput>,
  labId: number | null,
): Promise<OrderSet> {
  const tests = await findTests(ctx, [...new Set((set.lab_test_ids ?? []).map((id) => id.toLowerCase()))]);
  const byId = await findMarkers(ctx, [...new Set(set.add_on?.marker_ids ?? [])]);
  const known = tests[0]?.lab_id ?? byId[0]?.lab_id ?? labId;
  const byCode = await findByCode(ctx, [...new Set(set.add_on?.provider_ids ?? [])], known);
  const addOns = [...new Map([...byId, ...byCode].map((marker) => [marker.id, marker])).values()];
  const labs = new Set([...tests, ...addOns].map(({ lab_id }) => lab_id));
  if (labs.size > 1) {
    throw new AppError('mixed_laboratories', 'What is ordered together has to be of one laboratory.');
  }
  const markerIds = [...new Set([...tests.flatMap(({ marker_ids }) => marker_ids), ...addOns.map(({ id }) => id)])];
  const [lab_id] = labs;
  if (lab_id === undefined || markerIds.length === 0) {
    throw new AppError('no_markers', 'Nothing is ordered: neither a lab test with markers nor a marker beside them.');
  }
  return { lab_id, tests, addOns, markerIds };
}

async function findTests(ctx: TeamCtx, ids: string[]): Promise<TestOfSet[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<TestOfSet>`
    select id, name, method, status, lab_id, sample_type, price::float8 as price, fasting, common_tat_days,
           worst_case_tat_days,
           array(select marker_id from lab_test_markers ltm where ltm.lab_test_id = lab_tests.id order by position) as marker_ids
      from lab_tests where team_id = ${ctx.team.id} and id = any (${ids}::uuid[])`.execute(ctx.db);
  if (rows.length < ids.length) throw notFound('Lab test');
  const asleep = rows.find(({ status }) => status !== 'active');
  if (asleep) throw new AppError('lab_test_not_orderable', `The lab test ${asleep.id} is not active.`);
  return rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

const MARKER = sql`select id, name, lab_id, provider_id, price::text as price, a_la_carte_enabled, common_tat_days,
  worst_case_tat_days from markers`;

async function findMarkers(ctx: TeamCtx, ids: number[]): Promise<MarkerOfSet[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<MarkerOfSet>`${MARKER} where id = any (${ids}::int[]) order by id`.execute(ctx.db);
  if (rows.length < ids.length) throw notFound('Marker');
  return rows.map(orderable);
}

/** Order codes are a laboratory's own: of two that both know them all, the account has to say which is meant. */
async function findByCode(ctx: TeamCtx, codes: string[], labId: number | null): Promise<MarkerOfSet[]> {
  if (codes.length === 0) return [];
  const { rows } = await sql<MarkerOfSet>`
    ${MARKER} where provider_id = any (${codes}::text[]) and (${labId}::int is null or lab_id = ${labId}) order by id`.execute(
    ctx.db,
  );
  const whole = [...new Set(rows.map(({ lab_id }) => lab_id))].filter(
    (lab) => rows.filter(({ lab_id }) => lab_id === lab).length === codes.length,
  );
  if (whole.length > 1) {
    throw new AppError(
      'order_set_ambiguous',
      'Several laboratories have these order codes. Say in lab_account_id under which account you order.',
    );
  }
  if (whole.length === 0) throw notFound('Marker');
  return rows.filter(({ lab_id }) => lab_id === whole[0]).map(orderable);
}

function orderable(marker: MarkerOfSet): MarkerOfSet {
  if (marker.a_la_carte_enabled) return marker;
  throw new AppError(
    'marker_not_orderable',
    `The marker ${marker.id} is ordered within lab tests only: its a_la_carte_enabled is false.`,
  );
}
