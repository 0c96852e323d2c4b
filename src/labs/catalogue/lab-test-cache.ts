import type { TeamCtx } from '../../context.ts';
import { loadLabTests } from './find.ts';
import type { LabTest } from './schemas.ts';

/** A lab test at one revision. The statement that reads an order also reads this revision (LAB_TEST_REVISION). */
export type LabTestAt = { id: string; revision: string };

export const MAX_CACHED = 2_000;
/**
 * The largest size of the cache in bytes of JSON, for all teams together. One team may use a quarter of this size. In
 * memory the objects take two to three times as many bytes.
 */
const MAX_BYTES = 32 * 1024 * 1024;
export const MAX_BYTES_OF_TEAM = MAX_BYTES / 4;

type CachedLabTest = { revision: string; labTest: LabTest; team_id: string; bytes: number };
/** A Map returns its entries in the order of insertion, so the first entry of each map is the oldest. */
const cache = new Map<string, CachedLabTest>();
const teams = new Map<string, { bytes: number; ids: Set<string> }>();
let cachedBytes = 0;

/**
 * Returns lab tests in the shape of the API. We render a lab test once for each revision, not once for each order. The
 * caller has just read the revision from the database. We use a cached lab test only if it has that revision, so a
 * response never shows an outdated lab test.
 */
export async function getCachedLabTests(ctx: TeamCtx, wanted: LabTestAt[]): Promise<Map<string, LabTest>> {
  // We collect the wanted lab tests here. The cache may drop one of them while we add another.
  const found = new Map<string, LabTest>();
  const missing = new Set<string>();
  for (const { id, revision } of wanted) {
    const known = cache.get(id);
    if (known?.revision === revision) found.set(id, known.labTest);
    else missing.add(id);
  }
  if (missing.size === 0) return found;
  for (const fresh of await loadLabTests(ctx, [...missing])) {
    found.set(fresh.labTest.id, fresh.labTest);
    Object.freeze(fresh.labTest);
    addToCache(ctx.team.id, fresh);
  }
  return found;
}

/**
 * Adds a lab test to the cache as the newest. While the team is over its share, it drops the team's oldest lab tests.
 * While the cache is full, it drops the oldest of all teams. It does not cache a lab test that is larger than a team's
 * share.
 */
function addToCache(team_id: string, fresh: { revision: string; labTest: LabTest }): void {
  const { id } = fresh.labTest;
  drop(id);
  const bytes = Buffer.byteLength(JSON.stringify(fresh.labTest));
  if (bytes > MAX_BYTES_OF_TEAM) return;
  for (let own = teams.get(team_id); own && own.bytes + bytes > MAX_BYTES_OF_TEAM; own = teams.get(team_id))
    drop(first(own.ids));
  while (cache.size >= MAX_CACHED || cachedBytes + bytes > MAX_BYTES) drop(first(cache.keys()));
  cache.set(id, { ...fresh, team_id, bytes });
  cachedBytes += bytes;
  const own = teams.get(team_id) ?? { bytes: 0, ids: new Set() };
  own.bytes += bytes;
  own.ids.add(id);
  teams.set(team_id, own);
}

const first = (ids: Iterable<string>): string => ids[Symbol.iterator]().next().value as string;

function drop(id: string): void {
  const known = cache.get(id);
  if (!known) return;
  const { team_id, bytes } = known;
  cache.delete(id);
  cachedBytes -= bytes;
  const own = teams.get(team_id) as { bytes: number; ids: Set<string> };
  own.bytes -= bytes;
  own.ids.delete(id);
  if (own.ids.size === 0) teams.delete(team_id);
}

/** Returns one lab test like `getCachedLabTests`. Throws if the lab test does not exist. */
export async function getCachedLabTest(ctx: TeamCtx, wanted: LabTestAt): Promise<LabTest> {
  return labTestOf(await getCachedLabTests(ctx, [wanted]), wanted.id);
}

/** Returns one of the lab tests that `getCachedLabTests` found. Throws if the lab test does not exist. */
export function labTestOf(found: Map<string, LabTest>, id: string): LabTest {
  const labTest = found.get(id);
  if (!labTest) throw new Error(`Lab test ${id} of an order is gone.`);
  return labTest;
}
