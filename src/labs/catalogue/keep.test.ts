import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import type { TeamCtx } from '../../context.ts';
import { forTeam } from '../../tenancy/teams/scope.ts';
import { keptLabTest, keptLabTests, type LabTestAt, MOST_BYTES_OF_TEAM, MOST_KEPT } from './keep.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Of a team of its own, in which it has `count` lab tests more. */
async function makeLabTests(count: number, description = ''): Promise<{ ctx: TeamCtx; labTests: LabTestAt[] }> {
  const { id, org_id } = await app.makeTeam();
  const { rows } = await sql<LabTestAt>`
    insert into lab_tests (id, team_id, slug, name, description, sample_type, method, lab_id, price, status)
    select gen_random_uuid(), ${id}, 'kept-' || n, 'Kept', ${description}, 'serum', 'testkit', (select min(id) from labs), 1, 'active'
      from generate_series(1, ${count}::int) n
    returning id, concat(revision, '.', (select revision from labs where labs.id = lab_id)) as revision`.execute(
    app.db,
  );
  return { ctx: forTeam(app.ctx, { id, org_id, settings: {} }), labTests: rows };
}

/** Whoever asks with it gets what is kept, or fails. */
const withoutDatabase = (ctx: TeamCtx): TeamCtx => ({ ...ctx, db: null as never });

test('where no more can be kept, a lab test that has to be read does not push out another that is asked for with it', async () => {
  const { ctx, labTests } = await makeLabTests(MOST_KEPT + 1);
  const [oldest, missing] = [labTests[0], labTests[MOST_KEPT]] as [LabTestAt, LabTestAt];
  await keptLabTest(ctx, oldest);
  await keptLabTests(ctx, labTests.slice(0, MOST_KEPT));
  const found = await keptLabTests(ctx, [oldest, missing, oldest]);
  expect([...found.keys()].toSorted()).toEqual([oldest.id, missing.id].toSorted());
});

test('more than can be kept are found all the same', async () => {
  const { ctx, labTests } = await makeLabTests(MOST_KEPT + 10);
  expect((await keptLabTests(ctx, labTests)).size).toBe(MOST_KEPT + 10);
});

test('a new revision is kept as long as any newcomer', async () => {
  const { ctx, labTests } = await makeLabTests(MOST_KEPT + 2);
  const [oldest, changed] = [labTests[0], labTests[1]] as [LabTestAt, LabTestAt];
  for (const first of [oldest, changed]) await keptLabTest(ctx, first);
  await keptLabTests(ctx, labTests.slice(0, MOST_KEPT));
  await sql`update lab_tests set name = 'Renamed' where id = ${changed.id}`.execute(app.db);
  const revised = { id: changed.id, revision: `1.${changed.revision.split('.')[1]}` };
  expect((await keptLabTest(ctx, revised)).name).toBe('Renamed');

  await keptLabTests(ctx, labTests.slice(MOST_KEPT));
  expect((await keptLabTest(withoutDatabase(ctx), revised)).name).toBe('Renamed');
  await expect(keptLabTest(withoutDatabase(ctx), oldest)).rejects.toThrow();
});

test('of a team with large lab tests only its share is kept, the newest of it, and what others have stays', async () => {
  const few = await makeLabTests(1);
  await keptLabTests(few.ctx, few.labTests);
  const share = 8;
  const { ctx, labTests } = await makeLabTests(5 * share, 'x'.repeat(MOST_BYTES_OF_TEAM / share - 10_000));
  for (const labTest of labTests) await keptLabTest(ctx, labTest);
  const isKept = (of: TeamCtx, labTest: LabTestAt): Promise<boolean> =>
    keptLabTest(withoutDatabase(of), labTest).then(
      () => true,
      () => false,
    );
  const kept = await Promise.all(labTests.map((each) => isKept(ctx, each)));
  expect(kept).toEqual(labTests.map((_, n) => n >= labTests.length - share));
  expect(await isKept(few.ctx, few.labTests[0] as LabTestAt)).toBe(true);

  const huge = await makeLabTests(1, 'x'.repeat(MOST_BYTES_OF_TEAM));
  expect((await keptLabTest(huge.ctx, huge.labTests[0] as LabTestAt)).description).toHaveLength(MOST_BYTES_OF_TEAM);
  expect(await isKept(huge.ctx, huge.labTests[0] as LabTestAt)).toBe(false);
});
