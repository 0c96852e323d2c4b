import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { forTeam } from '../../../tenancy/teams/team-scope.ts';
import { analytesOf, type Analyte } from '../../catalogue/analytes.ts';
import { interpret } from '../../results/interpretation/interpret.ts';
import { readValue } from '../../results/interpretation/read-value.ts';
import { INTERPRETATIONS, RESULT_TYPES } from '../../results/schemas.ts';
import { simulateResults } from './simulate-results.ts';
import type { Value } from './value.ts';

let app: TestApp;
let tests: { name: string; analytes: Analyte[] }[];
beforeAll(async () => {
  app = await startTestApp();
  const ctx = forTeam(app.ctx, { id: app.team.id, org_id: app.team.org_id, settings: {} });
  const rows = await app.db.selectFrom('lab_tests').select(['id', 'name']).where('team_id', '=', app.team.id).execute();
  tests = await Promise.all(rows.map(async ({ id, name }) => ({ name, analytes: await analytesOf(ctx, id) })));
});
afterAll(() => app.close());

const context = {
  seed: 'order 0',
  gender: 'female',
  age: 38,
  correction: 0,
};

/** Returns simulated results as the API shows them: read and interpreted like the values of every laboratory. */
const simulateRead = (...of: Parameters<typeof simulateResults>): ReturnType<typeof read>[] =>
  simulateResults(...of).map(read);
const read = (value: Value): ReturnType<typeof readValue> & ReturnType<typeof interpret> & { slug: string | null } => {
  const reading = readValue(value.kind, value.text, value.unit);
  return { slug: value.analyte_slug, ...reading, ...interpret({ ...value, ...reading, final: true }) };
};

describe('simulated results', () => {
  test('are the same for the same order, and differ for another order or report', () => {
    for (const { analytes } of tests) {
      const results = simulateRead(analytes, {}, context);
      expect(simulateRead(analytes, {}, context)).toEqual(results);
    }
    const analytes = tests[0]?.analytes ?? [];
    expect(simulateRead(analytes, {}, { ...context, seed: 'order 1' })).not.toEqual(
      simulateRead(analytes, {}, context),
    );
  });

  test.each(['female', 'male', 'other'])(
    'of every standard test lie in the range of their interpretation, gender %s',
    (gender) => {
      for (const { name, analytes } of tests) {
        for (const interpretation of INTERPRETATIONS) {
          for (const result of simulateRead(analytes, { interpretation }, { ...context, gender })) {
            const bad = result.interpretation === 'abnormal' || result.interpretation === 'critical';
            if (result.type !== 'numeric' || (result.min_range_value === null && result.max_range_value === null))
              continue;
            expect([
              name,
              result.slug,
              result.result,
              result.is_above_max_range === true || result.is_below_min_range === true,
            ]).toEqual([name, result.slug, result.result, bad]);
          }
        }
      }
    },
  );

  test('written as a range are open to the side on which the number lies', () => {
    for (const { name, analytes } of tests) {
      for (const analyte of analytes) {
        const [numeric] = simulateRead([analyte], { interpretation: 'abnormal', result_types: ['numeric'] }, context);
        const [range] = simulateRead([analyte], { interpretation: 'abnormal', result_types: ['range'] }, context);
        if (numeric?.is_below_min_range)
          expect([name, analyte.slug, range?.result]).toEqual([name, analyte.slug, `<${numeric.result}`]);
        else expect([name, analyte.slug, range?.result]).toEqual([name, analyte.slug, `>${numeric?.result}`]);
      }
    }
  });

  test('never have an empty text', () => {
    for (const { analytes } of tests) {
      for (const type of RESULT_TYPES) {
        for (const result of simulateRead(analytes, { result_types: [type], interpretation: 'critical' }, context)) {
          expect(result.result).not.toBe('');
          expect(result.value).toBe(type === 'numeric' ? Number(result.result) : -1);
        }
      }
    }
  });

  test.each([...INTERPRETATIONS])(
    'with the interpretation %s fit the formulas of computed results',
    (interpretation) => {
      for (let order = 0; order < 50; order += 1) {
        for (const { name, analytes } of tests) {
          const results = simulateRead(analytes, { interpretation }, { ...context, seed: `order ${order}` });
          const value = (slug: string): number => results.find((result) => result.slug === slug)?.value ?? NaN;
          const differs = (computed: number, reported: number, by: number): boolean =>
            Math.abs(computed - reported) > by;
          const parts = value('ldl-cholesterol-calculated') + value('hdl-cholesterol') + value('triglycerides') / 5;
          const wrong = [
            differs(value('total-cholesterol') / value('hdl-cholesterol'), value('cholesterol-hdl-ratio'), 0.06),
            differs(parts, value('total-cholesterol'), 1),
            differs((value('iron') / value('tibc')) * 100, value('iron-saturation'), 1),
          ];
          expect([name, order, wrong]).toEqual([name, order, [false, false, false]]);
          if (interpretation === 'normal') {
            expect(results.filter((result) => result.interpretation !== 'normal').map(({ slug }) => slug)).toEqual([]);
          }
        }
      }
    },
  );

  test('that are computed from normal values are normal', () => {
    const computed = new Set(['iron', 'tibc', 'iron-saturation']);
    const analytes = tests.flatMap((of) => of.analytes).filter(({ slug }) => slug !== null && computed.has(slug));
    // About one product in seventy would lie outside of its range.
    for (let order = 0; order < 1000; order += 1) {
      const results = simulateRead(analytes, {}, { ...context, seed: `order ${order}` });
      expect(results.map(({ interpretation }) => interpretation)).toEqual(analytes.map(() => 'normal'));
    }
  });
});
