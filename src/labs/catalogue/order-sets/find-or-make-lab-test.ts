import { createHash } from 'node:crypto';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { insertLabTests, sumOf } from '../insert-lab-tests.ts';
import { findLab, sampleTypeOf } from '../labs.ts';
import type { CollectionMethod } from '../schemas.ts';
import type { OrderSet } from './resolve.ts';

const LONGEST_NAME = 200;

/**
 * The lab test that an order set comes to: the one it names where that has all of its markers, else one that is generated
 * for the team, the same for the same laboratory, markers and way of collecting.
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

/** The order in which markers are named makes no other lab test. */
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
