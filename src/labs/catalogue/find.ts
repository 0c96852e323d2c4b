import { sql, type Selectable } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import type { LabTests } from '../../db/tables.ts';
import { AppError, notFound } from '../../errors.ts';
import { findAccountAtOrNull } from './lab-accounts/find.ts';
import { LAB_TEST_JSON, LAB_TEST_REVISION } from './lab-test-json.ts';
import type { CollectionMethod, LabTest } from './schemas.ts';

export type LabTestRow = Omit<Selectable<LabTests>, 'method'> & { method: CollectionMethod };

/** Returns the row of one of the team's lab tests, whatever its status. */
export async function findLabTest(ctx: TeamCtx, labTestId: string): Promise<LabTestRow> {
  const row = await ctx.db
    .selectFrom('lab_tests')
    .selectAll()
    .where('id', '=', labTestId)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirst();
  if (!row) throw notFound('Lab test');
  return row as LabTestRow;
}

/**
 * Returns the team's active default kit, the oldest if there are several. When somebody registers a sample that we do
 * not know, a new order begins with this kit.
 */
export async function findDefaultKit(ctx: TeamCtx): Promise<LabTestRow> {
  const row = await ctx.db
    .selectFrom('lab_tests')
    .selectAll()
    .where('team_id', '=', ctx.team.id)
    .where('is_default_kit', '=', true)
    .where('method', '=', 'testkit')
    .where('status', '=', 'active')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (!row)
    throw new AppError(
      'lab_test_not_orderable',
      'This team has no active default test kit. Order the kit first, then register it.',
    );
  return row as LabTestRow;
}

/**
 * Reads the team's lab tests with these ids in one statement. The result does not contain unknown ids and ids of other
 * teams.
 */
export function loadLabTests(ctx: TeamCtx, ids: readonly string[]): Promise<{ labTest: LabTest; revision: string }[]> {
  return ctx.db
    .selectFrom('lab_tests')
    .innerJoin('labs', 'labs.id', 'lab_tests.lab_id')
    .select([LAB_TEST_JSON.as('labTest'), sql.raw<string>(LAB_TEST_REVISION).as('revision')])
    .where('lab_tests.team_id', '=', ctx.team.id)
    .where(sql<boolean>`lab_tests.id = any(${[...ids]}::uuid[])`)
    .execute();
}

/**
 * Reads one of the team's lab tests with its markers. If the caller names an account, it must be an account at the lab
 * test's laboratory.
 */
export async function loadLabTest(ctx: TeamCtx, labTestId: string, labAccountId?: string): Promise<LabTest> {
  const [found] = await loadLabTests(ctx, [labTestId]);
  if (!found) throw notFound('Lab test');
  await findAccountAtOrNull(ctx, found.labTest.lab?.id ?? null, labAccountId);
  return found.labTest;
}
