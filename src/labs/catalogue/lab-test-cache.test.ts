import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { TeamCtx } from '../../context.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import {
  getCachedLabTest,
  getCachedLabTests,
  type LabTestAt,
  MAX_BYTES_OF_TEAM,
  MAX_CACHED,
} from './lab-test-cache.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Makes `count` lab tests for a new team. */
async function makeLabTests(count: number, description = ''): Promise<{ ctx: TeamCtx; labTests: LabTestAt[] }> {
  const { id, org_id } = await app.makeTeam();
  const { rows } = await sql<LabTestAt>`
    insert into lab_tests (id, team_id, slug, name, description, sample_type, method, lab_id, price, status)
    select gen_random_uuid(), ${id}, 'kept-' || n, 'Kept', ${description}, 'serum', 'testkit',
           (select min(id) from labs), 1, 'active'
      from generate_series(1, ${count}::int) n
    returning id, concat(revision, '.', (select revision from labs where labs.id = lab_id)) as revision`.execute(
    app.db,
  );
  return { ctx: forTeam(app.ctx, { id, org_id, settings: {} }), labTests: rows };
}

/** Returns a context without a database, so that only cached lab tests can be read. */
const withoutDatabase = (ctx: TeamCtx): TeamCtx => ({ ...ctx, db: null as never });

test('a lab test that the full cache reads does not push another one out of the same answer', async () => {
  const { ctx, labTests } = await makeLabTests(MAX_CACHED + 1);
  const [oldest, missing] = [labTests[0], labTests[MAX_CACHED]] as [LabTestAt, LabTestAt];
  await getCachedLabTest(ctx, oldest);
  await getCachedLabTests(ctx, labTests.slice(0, MAX_CACHED));
  const found = await getCachedLabTests(ctx, [oldest, missing, oldest]);
  expect([...found.keys()].toSorted()).toEqual([oldest.id, missing.id].toSorted());
});

test('more lab tests than the cache can hold are all found', async () => {
  const { ctx, labTests } = await makeLabTests(MAX_CACHED + 10);
  expect((await getCachedLabTests(ctx, labTests)).size).toBe(MAX_CACHED + 10);
});

test('a new revision stays in the cache as long as a new lab test', async () => {
  const { ctx, labTests } = await makeLabTests(MAX_CACHED + 2);
  const [oldest, changed] = [labTests[0], labTests[1]] as [LabTestAt, LabTestAt];
  for (const first of [oldest, changed]) await getCachedLabTest(ctx, first);
  await getCachedLabTests(ctx, labTests.slice(0, MAX_CACHED));
  await sql`update lab_tests set name = 'Renamed' where id = ${changed.id}`.execute(app.db);
  const revised = { id: changed.id, revision: `1.${changed.revision.split('.')[1]}` };
  expect((await getCachedLabTest(ctx, revised)).name).toBe('Renamed');

  await getCachedLabTests(ctx, labTests.slice(MAX_CACHED));
  expect((await getCachedLabTest(withoutDatabase(ctx), revised)).name).toBe('Renamed');
  await expect(getCachedLabTest(withoutDatabase(ctx), oldest)).rejects.toThrow();
});

test('a team with large lab tests keeps only its share, the newest, and those of other teams stay cached', async () => {
  const few = await makeLabTests(1);
  await getCachedLabTests(few.ctx, few.labTests);
  const share = 8;
  const { ctx, labTests } = await makeLabTests(5 * share, 'x'.repeat(MAX_BYTES_OF_TEAM / share - 10_000));
  for (const labTest of labTests) await getCachedLabTest(ctx, labTest);
  const isCached = (of: TeamCtx, labTest: LabTestAt): Promise<boolean> =>
    getCachedLabTest(withoutDatabase(of), labTest).then(
      () => true,
      () => false,
    );
  const cached = await Promise.all(labTests.map((each) => isCached(ctx, each)));
  expect(cached).toEqual(labTests.map((_, n) => n >= labTests.length - share));
  expect(await isCached(few.ctx, few.labTests[0] as LabTestAt)).toBe(true);

  const huge = await makeLabTests(1, 'x'.repeat(MAX_BYTES_OF_TEAM));
  expect((await getCachedLabTest(huge.ctx, huge.labTests[0] as LabTestAt)).description).toHaveLength(MAX_BYTES_OF_TEAM);
  expect(await isCached(huge.ctx, huge.labTests[0] as LabTestAt)).toBe(false);
});
