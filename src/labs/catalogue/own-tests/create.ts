import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { refuseBeyondLimit } from '../../../tenancy/limits.ts';
import { chooseMarkers, type ChosenMarker } from '../choose-markers.ts';
import { loadLabTest } from '../find.ts';
import { insertLabTests, sumOf } from '../insert-lab-tests.ts';
import { findLab, sampleTypeOf } from '../labs.ts';
import { findAccountAtOrNull, refuseOfOtherLab } from '../lab-accounts/find.ts';
import type { LabTest } from '../schemas.ts';
import { approveLabTest } from './approve.ts';
import type { LabTestInput } from './schemas.ts';

/**
 * Creates a lab test of the team. The operator has to approve it. A sandbox approves it at once. Throws the same errors
 * as markersFor, collection_method_not_offered and limit_reached.
 */
export function createLabTest(ctx: TeamCtx, input: Static<typeof LabTestInput>): Promise<LabTest> {
  return inTransaction(ctx, async (ctx) => {
    const { team } = ctx;
    const markers = await markersFor(ctx, input);
    const lab = await findLab(ctx, (markers[0] as ChosenMarker).lab_id);
    if (!lab.collection_methods.includes(input.method)) {
      throw new AppError(
        'collection_method_not_offered',
        `${lab.name} offers ${lab.collection_methods.join(', ')}, not ${input.method}.`,
      );
    }
    await refuseBeyondLimit(ctx, 'labTestsPerTeam', team.id, () => countOwn(ctx));
    const id = newId();
    const { name, description, method } = input;
    await insertLabTests(ctx, team.id, [
      {
        id,
        // Two lab tests can have the same name. The end of the id makes their slugs different.
        slug: `${slugOf(name)}-${id.slice(-8)}`,
        name,
        description,
        method,
        lab_id: lab.id,
        sample_type: sampleTypeOf(lab),
        ...sumOf(markers),
        status: 'pending_approval',
        approved_at: null,
        fasting: input.fasting ?? false,
        marker_ids: markers.map((marker) => marker.id),
      },
    ]);
    if (ctx.config.environment === 'sandbox') await approveLabTest(ctx, id);
    return loadLabTest(ctx, id);
  });
}

/**
 * Returns the markers of the new lab test. Throws duplicate_markers if the request repeats a marker. That is probably a
 * mistake, and the team cannot change the markers later. The function also throws no_markers,
 * lab_account_of_other_lab, and the errors of `chooseMarkers`.
 */
async function markersFor(ctx: TeamCtx, input: Static<typeof LabTestInput>): Promise<ChosenMarker[]> {
  const count = (input.marker_ids?.length ?? 0) + (input.provider_ids?.length ?? 0);
  if (count === 0) throw new AppError('no_markers', 'Name at least one marker.');
  const named = input.lab_slug ? (await findLab(ctx, input.lab_slug)).id : null;
  const account = await findAccountAtOrNull(ctx, named, input.lab_account_id ?? undefined);
  const markers = await chooseMarkers(ctx, input, { lab_id: named, codes_of: account?.lab_id ?? null });
  if (account) refuseOfOtherLab(account, (markers[0] as ChosenMarker).lab_id);
  if (markers.length < count) {
    throw new AppError('duplicate_markers', 'A marker is named more than once, by its id or by its order code.');
  }
  return markers;
}

async function countOwn({ db, team }: TxCtx<TeamCtx>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from lab_tests where team_id = ${team.id} and not auto_generated`.execute(db);
  return rows[0]?.count ?? 0;
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-|-$/g, '') || 'lab-test';
