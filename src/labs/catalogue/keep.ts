import type { TeamCtx } from '../../context.ts';
import { loadLabTests } from './find.ts';
import type { LabTest } from './schemas.ts';

/** Which state of a lab test is meant: an order's statement reads it along (LAB_TEST_REVISION). */
export type LabTestAt = { id: string; revision: string };

/** Of a row `lab_tests` joined with its `labs`: changes with whatever the lab test's JSON is made of. */
export const LAB_TEST_REVISION = `concat(lab_tests.revision, '.', labs.revision)`;

const MOST_KEPT = 2_000;
const kept = new Map<string, { revision: string; labTest: LabTest }>();

/**
 * Lab tests in the shape of the wire, made once per revision instead of once per order. What is kept is compared with
 * the revision that the caller has just read, so no process can miss a change.
 */
export async function keptLabTests(ctx: TeamCtx, wanted: LabTestAt[]): Promise<Map<string, LabTest>> {
  const missing = wanted.filter(({ id, revision }) => kept.get(id)?.revision !== revision).map(({ id }) => id);
  if (missing.length > 0) {
    for (const fresh of await loadLabTests(ctx, [...new Set(missing)])) {
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
      kept.set(fresh.labTest.id, fresh);
    }
  }
  return new Map(
    wanted.flatMap(({ id }) => (kept.has(id) ? [[id, (kept.get(id) as { labTest: LabTest }).labTest]] : [])),
  );
}

/** keptLabTests for one; throws where the lab test is gone. */
export async function keptLabTest(ctx: TeamCtx, wanted: LabTestAt): Promise<LabTest> {
  const labTest = (await keptLabTests(ctx, [wanted])).get(wanted.id);
  if (!labTest) throw new Error(`Lab test ${wanted.id} of an order is gone.`);
  return labTest;
}
