import type { TxCtx } from '../../../context.ts';
import { newId } from '../../../ids.ts';
import { STANDARD_TESTS } from './standard-tests.ts';

/** Gives a new team of a sandbox its first lab tests; in production a laboratory has to be connected first. */
export async function addStandardTests(ctx: TxCtx, teamId: string): Promise<void> {
  if (ctx.config.environment !== 'sandbox') return;
  const tests = STANDARD_TESTS.map((test) => ({ ...test, id: newId() }));
  await ctx.db
    .insertInto('lab_tests')
    .values(tests.map(({ marker_ids: _, ...test }) => ({ ...test, team_id: teamId, status: 'active' })))
    .execute();
  await ctx.db
    .insertInto('lab_test_markers')
    .values(
      tests.flatMap((test) =>
        test.marker_ids.map((marker_id, position) => ({ lab_test_id: test.id, marker_id, position })),
      ),
    )
    .execute();
}
