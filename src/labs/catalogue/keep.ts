import type { TeamCtx } from '../../context.ts';
import { loadLabTests } from './find.ts';
import type { LabTest } from './schemas.ts';

/** Which state of a lab test is meant: an order's statement reads it along (LAB_TEST_REVISION). */
export type LabTestAt = { id: string; revision: string };

export const MOST_KEPT = 2_000;
/** As JSON, of which the objects take two to three times as much; of all teams together, and of one. */
const MOST_BYTES = 32 * 1024 * 1024;
export const MOST_BYTES_OF_TEAM = MOST_BYTES / 4;

type Kept = { revision: string; labTest: LabTest; team_id: string; bytes: number };
/** Both in the order in which they were kept. */
const kept = new Map<string, Kept>();
const teams = new Map<string, { bytes: number; ids: Set<string> }>();
let keptBytes = 0;

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
    keep(ctx.team.id, fresh);
  }
  return found;
}

/**
 * What was kept first goes first, of the team where it has more than its share; a new revision counts from now. One that is larger than a
 * share is not kept.
 */
function keep(team_id: string, fresh: { revision: string; labTest: LabTest }): void {
  const { id } = fresh.labTest;
  drop(id);
  const bytes = Buffer.byteLength(JSON.stringify(fresh.labTest));
  if (bytes > MOST_BYTES_OF_TEAM) return;
  for (let own = teams.get(team_id); own && own.bytes + bytes > MOST_BYTES_OF_TEAM; own = teams.get(team_id))
    drop(first(own.ids));
  while (kept.size >= MOST_KEPT || keptBytes + bytes > MOST_BYTES) drop(first(kept.keys()));
  kept.set(id, { ...fresh, team_id, bytes });
  keptBytes += bytes;
  const own = teams.get(team_id) ?? { bytes: 0, ids: new Set() };
  own.bytes += bytes;
  own.ids.add(id);
  teams.set(team_id, own);
}

const first = (ids: Iterable<string>): string => ids[Symbol.iterator]().next().value as string;

function drop(id: string): void {
  const known = kept.get(id);
  if (!known) return;
  const { team_id, bytes } = known;
  kept.delete(id);
  keptBytes -= bytes;
  const own = teams.get(team_id) as { bytes: number; ids: Set<string> };
  own.bytes -= bytes;
  own.ids.delete(id);
  if (own.ids.size === 0) teams.delete(team_id);
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
