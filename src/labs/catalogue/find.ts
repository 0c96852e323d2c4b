import { sql, type Selectable } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import type { LabTests } from '../../db/tables.ts';
import { AppError, notFound } from '../../errors.ts';
import { LAB_TEST_JSON } from './lab-test-json.ts';
import type { CollectionMethod, LabTest } from './schemas.ts';

/** Runs inside a transaction or outside of one. */
export type Scope = Pick<TeamCtx | TxCtx<TeamCtx>, 'db' | 'team'>;

export type LabTestRow = Omit<Selectable<LabTests>, 'method'> & { method: CollectionMethod };

/** The row of one of the team's lab tests, whatever its status. */
export async function findLabTest(ctx: Scope, labTestId: string): Promise<LabTestRow> {
  const row = await ctx.db
    .selectFrom('lab_tests')
    .selectAll()
    .where('id', '=', labTestId)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirst();
  if (!row) throw notFound('Lab test');
  return row as LabTestRow;
}

/** The team's active kit for orders that begin with the registration of an unknown sample; the oldest, should there be several. */
export async function findDefaultKit(ctx: Scope): Promise<LabTestRow> {
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
 * The team's lab tests of `ids`, by id, in one statement; ids of other teams and unknown ones are left out.
 * The keys are as the database writes ids, in lower case.
 */
export async function loadLabTests(ctx: Scope, ids: readonly string[]): Promise<Map<string, LabTest>> {
  const rows = await ctx.db
    .selectFrom('lab_tests')
    .innerJoin('labs', 'labs.id', 'lab_tests.lab_id')
    .select(LAB_TEST_JSON.as('lab_test'))
    .where('lab_tests.team_id', '=', ctx.team.id)
    .where(sql<boolean>`lab_tests.id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map(({ lab_test }) => [lab_test.id, lab_test]));
}

/** One of the team's lab tests, whole. */
export async function loadLabTest(ctx: Scope, labTestId: string): Promise<LabTest> {
  const [labTest] = (await loadLabTests(ctx, [labTestId])).values();
  if (!labTest) throw notFound('Lab test');
  return labTest;
}
