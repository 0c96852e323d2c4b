import { createHash } from 'node:crypto';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { insertLabTests, sumOf } from '../insert-lab-tests.ts';
import { findLab, sampleTypeOf } from '../labs.ts';
import type { CollectionMethod } from '../schemas.ts';
import type { OrderSet } from './resolve-order-set.ts';

const LONGEST_NAME = 200;

/**
 * Returns the lab test for an order set. If one lab test of the set has all markers of the set, the function returns
 * that lab test. Otherwise we generate a lab test for the team. The next set with the same laboratory, markers and
 * collection method gets the same generated lab test.
 */
export async function findOrMakeLabTest(ctx: TxCtx<TeamCtx>, set: OrderSet, method: CollectionMethod): Promise<string> {
  const whole = set.tests.find(
    (test) => test.method === method && set.markerIds.every((id) => test.marker_ids.includes(id)),
  );
  if (whole) return whole.id;
  const slug = slugOf(set, method);
  const sample_type = set.tests[0]?.sample_type ?? sampleTypeOf(await findLab(ctx, set.lab_id));
  const [made] = await insertLabTests(ctx, ctx.team.id, [
    { slug, method, sample_type, ...madeOf(set), marker_ids: set.markerIds },
  ]);
  if (made) return made;
  const known = ctx.db.selectFrom('lab_tests').select('id').where('team_id', '=', ctx.team.id);
  return (await known.where('slug', '=', slug).executeTakeFirstOrThrow()).id;
}

/** Returns the slug of a generated lab test. The slug does not depend on the order of the markers in the request. */
function slugOf({ lab_id, markerIds }: OrderSet, method: CollectionMethod): string {
  const key = JSON.stringify([lab_id, method, markerIds.toSorted((a, b) => a - b)]);
  return `auto-${createHash('sha256').update(key).digest('hex').slice(0, 24)}`;
}

function madeOf({ lab_id, tests, addOns }: OrderSet) {
  const parts = [...tests, ...addOns];
  const names = parts.map(({ name }) => name).join(' + ');
  return {
    lab_id,
    name: names.length > LONGEST_NAME ? `${names.slice(0, LONGEST_NAME - 1)}…` : names,
    description: 'Generated for an order set.',
    ...sumOf(parts),
    status: 'active',
    fasting: tests.some(({ fasting }) => fasting),
    auto_generated: true,
  };
}
