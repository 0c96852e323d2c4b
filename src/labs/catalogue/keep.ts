import type { TeamCtx } from '../../context.ts';
import { loadLabTests } from './find.ts';
import type { LabTest } from './schemas.ts';

/** Which state of a lab test is meant: an order's statement reads it along (LAB_TEST_REVISION). */
export type LabTestAt = { id: string; revision: string };

export const MOST_KEPT = 2_000;
const kept = new Map<string, { revision: string; labTest: LabTest }>();

/**
 * Lab tests in the shape of the wire, made once per revision instead of once per order. What is kept is compared with
 * the revision that the caller has just read, so no process can miss a change.
 */
export async function keptLabTests(ctx: TeamCtx, wanted: LabTestAt[]): Promise<Map<string, LabTest>> {
  // Gathered beside what is kept: keeping one may drop another that is wanted with it.
  const found = new Map<string, LabTest>();
  const missing = new Set<string>();
  for (const { id, revision } of wanted) {
    const known = kept.get(id);
    if (known?.revision === revision) found.set(id, known.labTest);
    else missing.add(id);
  }
  if (missing.size === 0) return found;
  for (const fresh of await loadLabTests(ctx, [...missing])) {
    found.set(fresh.labTest.id, fresh.labTest);
    Object.freeze(fresh.labTest);
    keep(fresh);
  }
  return found;
}

/** What was kept first goes first; a new revision counts from now. */
function keep(fresh: { revision: string; labTest: LabTest }): void {
  const { id } = fresh.labTest;
  kept.delete(id);
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
  kept.set(id, fresh);
}

/** keptLabTests for one; throws where the lab test is gone. */
export async function keptLabTest(ctx: TeamCtx, wanted: LabTestAt): Promise<LabTest> {
  return labTestOf(await keptLabTests(ctx, [wanted]), wanted.id);
}

/** One of those that keptLabTests found; throws where the lab test is gone. */
export function labTestOf(found: Map<string, LabTest>, id: string): LabTest {
  const labTest = found.get(id);
  if (!labTest) throw new Error(`Lab test ${id} of an order is gone.`);
  return labTest;
}
