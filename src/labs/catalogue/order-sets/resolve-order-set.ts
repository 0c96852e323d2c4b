import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError, notFound } from '../../../errors.ts';
import { chooseMarkers, type ChosenMarker } from '../choose-markers.ts';
import { findLabAccount, refuseUnlessOrderable, type LabAccountRow } from '../lab-accounts/find.ts';
import type { CollectionMethod } from '../schemas.ts';
import type { OrderSetInput } from './schemas.ts';

/** A lab test of a set. We derive the fields of a combined lab test from these fields. */
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

/** An order set whose lab tests and markers can be ordered together. */
export type OrderSet = {
  lab_id: number;
  /** The account of the order; null if the set names none. */
  account: LabAccountRow | null;
  /** The collection method of the lab tests; null if the set contains only single markers. */
  method: CollectionMethod | null;
  tests: TestOfSet[];
  /** The markers that are ordered in addition to the lab tests. */
  addOns: ChosenMarker[];
  /** The markers of the lab tests, in their order, and then the added markers. Each marker is listed once. */
  markerIds: number[];
};

/**
 * Finds the lab tests, markers and account that an order set names, and checks that they can be ordered together.
 * Throws not_found if an account, lab test or marker is unknown, and order_set_ambiguous if several laboratories have
 * these order codes. It also throws lab_test_not_orderable, marker_not_orderable, mixed_laboratories,
 * mixed_collection_methods, no_markers, lab_account_of_other_lab and lab_account_not_active.
 */
export async function resolveOrderSet(ctx: TeamCtx, set: Static<typeof OrderSetInput>): Promise<OrderSet> {
  const account = set.lab_account_id ? await findLabAccount(ctx, set.lab_account_id) : null;
  const tests = await findTests(ctx, [...new Set((set.lab_test_ids ?? []).map((id) => id.toLowerCase()))]);
  const addOns = await chooseMarkers(ctx, set.add_on ?? {}, {
    lab_id: tests[0]?.lab_id ?? null,
    codes_of: account?.lab_id ?? null,
  });
  const notOrderable = addOns.find((marker) => !marker.a_la_carte_enabled);
  if (notOrderable) {
    throw new AppError(
      'marker_not_orderable',
      `The marker ${notOrderable.id} can be ordered only within lab tests: its a_la_carte_enabled is false.`,
    );
  }
  const markerIds = [...new Set([...tests.flatMap(({ marker_ids }) => marker_ids), ...addOns.map(({ id }) => id)])];
  const lab_id = [...tests, ...addOns][0]?.lab_id;
  if (lab_id === undefined || markerIds.length === 0) {
    throw new AppError('no_markers', 'Nothing is ordered: name a lab test with markers, or a marker.');
  }
  if (account) refuseUnlessOrderable(account, lab_id);
  return { lab_id, account, method: tests[0]?.method ?? null, tests, addOns, markerIds };
}

async function findTests(ctx: TeamCtx, ids: string[]): Promise<TestOfSet[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<TestOfSet>`
    select id, name, method, status, lab_id, sample_type, price::float8 as price, fasting, common_tat_days,
           worst_case_tat_days,
           array(select marker_id from lab_test_markers ltm where ltm.lab_test_id = lab_tests.id
                  order by position) as marker_ids
      from lab_tests where team_id = ${ctx.team.id} and id = any (${ids}::uuid[])`.execute(ctx.db);
  if (rows.length < ids.length) throw notFound('Lab test');
  const inactive = rows.find(({ status }) => status !== 'active');
  if (inactive) throw new AppError('lab_test_not_orderable', `The lab test ${inactive.id} is not active.`);
  if (new Set(rows.map(({ lab_id }) => lab_id)).size > 1) {
    throw new AppError('mixed_laboratories', 'All markers and lab tests must be of one laboratory.');
  }
  refuseSeveralMethods(rows.map(({ method }) => method));
  return rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/** Throws mixed_collection_methods if the methods are not all the same. */
export function refuseSeveralMethods(methods: CollectionMethod[]): void {
  const different = [...new Set(methods)];
  if (different.length > 1) {
    throw new AppError(
      'mixed_collection_methods',
      `All lab tests of an order must have the same collection method; these have ${different.join(' and ')}.`,
    );
  }
}
