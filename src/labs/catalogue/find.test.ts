import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import type { TeamCtx } from '../../context.ts';
import { newId } from '../../ids.ts';
import { analytesOf } from './analytes.ts';
import { findDefaultKit, findLabTest, loadLabTests } from './find.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import { STANDARD_TESTS } from './sandbox/standard-tests.ts';

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
});

const ctxOf = ({ id, org_id }: Team): TeamCtx => forTeam(app.ctx, { id, org_id, settings: {} });
const idOf = async (slug: string): Promise<string> =>
  (
    await app.db
      .selectFrom('lab_tests')
      .select('id')
      .where('team_id', '=', team.id)
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow()
  ).id;

describe('the lab tests of a list of orders', () => {
  test('are those of the team, in the shape of a single read, each once', async () => {
    const other = await app.makeTeam();
    const [heart, thyroid] = [await idOf('heart-health'), await idOf('thyroid-health')];
    const loaded = await loadLabTests(ctxOf(team), [heart, thyroid, heart, newId()]);
    expect(loaded.map(({ labTest }) => labTest.id).toSorted()).toEqual([heart, thyroid].toSorted());
    expect(loaded.find(({ labTest }) => labTest.id === heart)?.labTest).toEqual(
      (await team.api('GET', `/v3/lab_tests/${heart}`)).body,
    );
    expect(await loadLabTests(ctxOf(other), [heart])).toEqual([]);
    expect(await loadLabTests(ctxOf(team), [])).toEqual([]);
  });
});

describe('the lab test of an order', () => {
  test('is found with its method, status and laboratory, only by its own team', async () => {
    const id = await idOf('standard-on-site');
    expect(await findLabTest(ctxOf(team), id)).toMatchObject({
      id,
      method: 'on_site_collection',
      status: 'active',
      is_default_kit: false,
      lab_id: 2,
    });
    await expect(findLabTest(ctxOf(await app.makeTeam()), id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is the default kit if the sample is unknown', async () => {
    expect(await findDefaultKit(ctxOf(team))).toMatchObject({
      id: await idOf('standard-testkit'),
      is_default_kit: true,
      method: 'testkit',
    });
  });

  test('is refused if the team has no active default kit', async () => {
    await app.db
      .updateTable('lab_tests')
      .set({ status: 'inactive' })
      .where('id', '=', await idOf('standard-testkit'))
      .execute();
    await expect(findDefaultKit(ctxOf(team))).rejects.toMatchObject({ code: 'lab_test_not_orderable' });
  });
});

describe('the analytes of a lab test', () => {
  test('come in the order of markers and results, with all facts that interpretation needs', async () => {
    const analytes = await analytesOf(ctxOf(team), await idOf('standard-testkit'));
    expect(analytes.map(({ slug }) => slug)).toEqual([
      'hemoglobin-a1c',
      'total-cholesterol',
      'hdl-cholesterol',
      'triglycerides',
      'ldl-cholesterol-calculated',
      'cholesterol-hdl-ratio',
      'hs-crp',
      'tsh',
      'vitamin-d-25-oh',
    ]);
    expect(analytes[5]).toEqual({
      id: 12,
      slug: 'cholesterol-hdl-ratio',
      name: 'Total cholesterol to HDL ratio',
      loinc_code: '9830-1',
      loinc_name: 'Cholesterol.total/Cholesterol in HDL [Mass Ratio] in Serum or Plasma',
      unit: '{ratio}',
      result_type: 'numeric',
      range_female: '<5.0',
      range_male: '<5.0',
      critical_low: null,
      critical_high: null,
      normal_text: null,
      abnormal_text: null,
      decimals: 1,
      normal_words: [],
      abnormal_words: [],
      required: false,
      marker_id: 1101,
      marker_name: 'Lipid panel',
      marker_slug: 'lipid-panel',
      marker_provider_id: 'KIT-24331',
    });
  });

  test('come once, with the first of two markers that bring them', async () => {
    const id = await idOf('standard-testkit');
    await app.db
      .insertInto('lab_test_markers')
      .values([
        { lab_test_id: id, marker_id: 1010, position: 9 },
        { lab_test_id: id, marker_id: 1102, position: 10 },
      ])
      .execute();
    const analytes = await analytesOf(ctxOf(team), id);
    expect(new Set(analytes.map((analyte) => analyte.id)).size).toBe(analytes.length);
    expect(
      analytes.filter(({ slug }) => slug === 'hdl-cholesterol' || slug === 'tsh').map((one) => one.marker_id),
    ).toEqual([1101, 1015]);
    expect(analytes.at(-1)?.slug).toBe('tpo-antibody');
  });

  test('exist for each standard test, and only for its own team', async () => {
    const other = ctxOf(await app.makeTeam());
    for (const { slug } of STANDARD_TESTS) {
      const id = await idOf(slug);
      expect(await analytesOf(ctxOf(team), id)).not.toHaveLength(0);
      expect(await analytesOf(other, id)).toEqual([]);
    }
  });
});
