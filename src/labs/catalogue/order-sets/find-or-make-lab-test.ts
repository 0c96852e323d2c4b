import { createHash } from 'node:crypto';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { newId } from '../../../ids.ts';
import { findLab } from '../labs.ts';
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
  const id = newId();
  const made = await ctx.db
    .insertInto('lab_tests')
    .values({ id, slug, method, ...madeOf(set), ...(await sampleOf(ctx, set)), team_id: ctx.team.id })
    .onConflict((oc) => oc.columns(['team_id', 'slug']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) {
    const known = ctx.db.selectFrom('lab_tests').select('id').where('team_id', '=', ctx.team.id);
    return (await known.where('slug', '=', slug).executeTakeFirstOrThrow()).id;
  }
  await ctx.db
    .insertInto('lab_test_markers')
    .values(set.markerIds.map((marker_id, position) => ({ lab_test_id: id, marker_id, position })))
    .execute();
  return id;
}

/** The order in which markers are named makes no other lab test. */
function slugOf({ lab_id, markerIds }: OrderSet, method: CollectionMethod): string {
  const key = JSON.stringify([lab_id, method, markerIds.toSorted((a, b) => a - b)]);
  return `auto-${createHash('sha256').update(key).digest('hex').slice(0, 24)}`;
}

function madeOf({ lab_id, tests, addOns }: OrderSet) {
  const parts = [...tests, ...addOns];
  const names = parts.map(({ name }) => name).join(' + ');
  const days = (key: 'common_tat_days' | 'worst_case_tat_days'): number | null => {
    const known = parts.map((part) => part[key]).filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  return {
    lab_id,
    name: names.length > LONGEST_NAME ? `${names.slice(0, LONGEST_NAME - 1)}…` : names,
    description: 'Generated for an order set.',
    price: parts.reduce((sum, { price }) => sum + Number(price ?? 0), 0).toFixed(2),
    status: 'active',
    fasting: tests.some(({ fasting }) => fasting),
    auto_generated: true,
    common_tat_days: days('common_tat_days'),
    worst_case_tat_days: days('worst_case_tat_days'),
  };
}

async function sampleOf(ctx: TeamCtx, { lab_id, tests }: OrderSet): Promise<{ sample_type: string }> {
  const [first] = tests;
  if (first) return { sample_type: first.sample_type };
  const { sample_types } = await findLab(ctx, lab_id);
  return { sample_type: sample_types[0] ?? 'serum' };
}
