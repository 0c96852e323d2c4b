import fc from 'fast-check';
import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { DIAGNOSES } from './codes.ts';
import { areExcluded, isWithin, mayOverlap } from './excludes.ts';
import { EXCLUDES_1, EXCLUDES_2, type Note } from './notes.ts';
import type { Diagnosis, IcdCodesAnswer } from './schemas.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const search = async (text: string): Promise<string[]> =>
  (
    await app.api<Static<typeof Diagnosis>[]>(
      'GET',
      `/v3/insurance/search/diagnosis?${new URLSearchParams({ diagnosis_query: text })}`,
    )
  ).body.map(({ diagnosis_code }) => diagnosis_code);
const check = async (...codes: string[]): Promise<Static<typeof IcdCodesAnswer>> =>
  (await app.api<Static<typeof IcdCodesAnswer>>('POST', '/v3/insurance/validate_icd_codes', { codes })).body;
const fine = { valid: true, errors: [], violations: [], warnings: [] };

describe('searching diagnoses', () => {
  test('a code is found by its beginning, in either case and without its point', async () => {
    expect(await search('E55.9')).toEqual(['E55.9']);
    expect(await search('e559')).toEqual(['E55.9']);
    expect(await search('N18.3')).toEqual(['N18.30', 'N18.31', 'N18.32']);
  });

  test('words find every description that contains them all', async () => {
    expect(await search('vitamin D deficiency')).toEqual(['E55.9']);
    expect(await search('hiv contact')).toEqual(['Z20.6']);
    expect(await search('zebra')).toEqual([]);
  });

  test('at most 50 are answered, and is_secondary marks codes that may only be used beside another', async () => {
    expect(await search('unspecified')).toHaveLength(50);
    const { body } = await app.api('GET', '/v3/insurance/search/diagnosis?diagnosis_query=D63.1');
    expect(body).toEqual([
      { diagnosis_code: 'D63.1', description: 'Anemia in chronic kidney disease', is_secondary: true },
    ]);
  });

  test.each(['', '?diagnosis_query=', `?diagnosis_query=${'x'.repeat(201)}`])(
    'the query %j is refused',
    async (query) => {
      expect((await app.api('GET', `/v3/insurance/search/diagnosis${query}`)).status).toBe(422);
    },
  );
});

describe('checking diagnoses', () => {
  test('codes that can be billed and exclude nothing are valid, with or without their point', async () => {
    expect(await check('E11.9', 'i10', 'E559')).toEqual(fine);
    expect(await check()).toEqual(fine);
  });

  test.each(['diabetes', '11.9', 'E1', 'E11.', 'E11.99999', 'E11-9', 'QB0.1', 'AA1'])(
    '%j does not have the shape of a code',
    async (code) => {
      const { valid, errors } = await check(code);
      expect([valid, errors]).toEqual([false, [expect.stringContaining('shape')]]);
    },
  );

  test('a category, and a code that is longer than a complete one, cannot be billed', async () => {
    expect((await check('E11', 'N18.3', 'E78.01', 'E11.91')).errors).toEqual([
      expect.stringMatching(/"E11" is not exact enough .* such as E11\.21\./),
      expect.stringMatching(/"N18\.3" is not exact enough/),
      expect.stringMatching(/"E78\.01" is not exact enough .* such as E78\.010\./),
      '"E11.91" is no code: E11.9 has none below it.',
    ]);
  });

  test('codes are named as they were sent', async () => {
    expect((await check('e11', 'n183', 'zz')).errors).toEqual([
      expect.stringContaining('"e11" is not exact enough'),
      expect.stringContaining('"n183" is not exact enough'),
      expect.stringContaining('"zz" does not have the shape'),
    ]);
    expect((await check('e109', 'E119')).violations).toEqual([
      { code: 'e109', conflicts_with: 'E119', type: 'excludes1' },
    ]);
    expect((await check('g43909', 'r519')).warnings).toEqual([
      { code: 'g43909', overlaps_with: 'r519', type: 'excludes2' },
    ]);
  });

  test('two codes that Excludes1 separates are a violation in either order', async () => {
    const both = (code: string, conflicts_with: string): object => ({
      ...fine,
      valid: false,
      violations: [{ code, conflicts_with, type: 'excludes1' }],
    });
    expect(await check('E10.9', 'E11.9')).toEqual(both('E10.9', 'E11.9'));
    expect(await check('E11.9', 'E10.9')).toEqual(both('E11.9', 'E10.9'));
    expect(await check('Z21', 'B20')).toEqual(both('Z21', 'B20'));
    expect((await check('R73.03', 'E11.9', 'E10.9')).violations).toHaveLength(3);
  });

  test.each([
    ['K50.90', 'K51.90'],
    ['E61.1', 'D50.9'],
    ['K58.0', 'K51.90'],
    ['Z00.00', 'Z02.89'],
    ['R73.01', 'O99.810'],
    ['O13.9', 'I10'],
  ])('one patient cannot have both %s and %s', async (one, other) => {
    const { valid, violations } = await check(one, other);
    expect([valid, violations]).toEqual([false, [{ code: one, conflicts_with: other, type: 'excludes1' }]]);
  });

  test.each([
    ['G43.909', 'R51.9'],
    ['N97.0', 'E28.2'],
    ['N97.9', 'E23.0'],
    ['D70.9', 'D72.819'],
    ['Z79.84', 'Z79.4'],
  ])('one patient may have both %s and %s, although neither is part of the other', async (one, other) => {
    const { valid, warnings } = await check(one, other);
    expect([valid, warnings]).toEqual([true, [{ code: one, overlaps_with: other, type: 'excludes2' }]]);
  });

  test.each([
    ['E29.1', 'E78.5'],
    ['K57.30', 'K92.2'],
    ['M32.9', 'M62.81'],
    ['F33.0', 'R53.83'],
  ])('no note separates %s and %s, and they are valid', async (one, other) => {
    expect(await check(one, other)).toEqual(fine);
  });

  test('a code of the chapter that continues with QA0 has the shape of a code', async () => {
    expect(await check('qa00101')).toEqual({
      ...fine,
      warnings: [{ code: 'qa00101', overlaps_with: 'qa00101', type: 'not_in_shipped_subset' }],
    });
  });

  test('a pair that may overlap, a duplicate and a code outside the subset are warnings', async () => {
    expect(await check('J00', 'J30.9', 'j00', 'S93.401A')).toEqual({
      ...fine,
      warnings: [
        { code: 'j00', overlaps_with: 'J00', type: 'duplicate' },
        { code: 'S93.401A', overlaps_with: 'S93.401A', type: 'not_in_shipped_subset' },
        { code: 'J00', overlaps_with: 'J30.9', type: 'excludes2' },
      ],
    });
  });

  test('more than 50 codes are refused', async () => {
    const codes = Array.from({ length: 51 }, () => 'I10');
    expect((await app.api('POST', '/v3/insurance/validate_icd_codes', { codes })).status).toBe(422);
  });
});

/** The chapters of ICD-10-CM as its tabular list prints them. The edition of October 2026 has categories up to QA1. */
const CHAPTERS =
  'A00-B99 C00-D49 D50-D89 E00-E89 F01-F99 G00-G99 H00-H59 H60-H95 I00-I99 J00-J99 K00-K95 L00-L99 M00-M99 N00-N99 ' +
  'O00-O9A P00-P96 Q00-QA1 R00-R99 S00-T88 U00-U85 V00-Y99 Z00-Z99';
const chapterOf = (code: string): string | undefined =>
  CHAPTERS.split(' ').find((chapter) => isWithin(code.slice(0, 3), chapter));

test('every code of the subset has the shape of a billable code, lies in a chapter, and has none below it', () => {
  expect(DIAGNOSES.size).toBeGreaterThan(400);
  for (const [code, { description }] of DIAGNOSES) {
    expect(code).toMatch(/^[A-Z]\d[0-9A-Z](\.([0-9A-Z]{1,3}|[0-9X]{3}[0-9A-Z]))?$/);
    expect(chapterOf(code), code).toBeDefined();
    expect(description, code).toMatch(/^[A-Z]\S{2,}( \S+)*$/);
  }
  const codes = [...DIAGNOSES.keys()];
  expect(codes.filter((code) => codes.some((other) => other !== code && other.startsWith(code)))).toEqual([]);
  const descriptions = [...DIAGNOSES.values()].map(({ description }) => description);
  expect(descriptions.filter((each, index) => descriptions.indexOf(each) !== index)).toEqual([]);
});

describe('notes of exclusion', () => {
  const ofNote = ([at, against]: Note): string[] => [at, ...against];
  const inSubset = (codes: string): boolean => [...DIAGNOSES.keys()].some((code) => isWithin(code, codes));

  test('name beginnings of codes, or ranges that rise within a chapter', () => {
    for (const codes of [...EXCLUDES_1, ...EXCLUDES_2].flatMap(ofNote)) {
      expect(codes).toMatch(/^[A-Z]\d[0-9A-Z](\.\d{1,3})?(-[A-Z]\d[0-9A-Z](\.\d{1,3})?)?$/);
      const [first = '', last = first] = codes.split('-');
      expect(first <= last, codes).toBe(true);
      expect(chapterOf(first), codes).toBeDefined();
      expect(chapterOf(last), codes).toBe(chapterOf(first));
    }
  });

  test('stand at codes of the subset, each once', () => {
    for (const notes of [EXCLUDES_1, EXCLUDES_2]) {
      const notedCodes = notes.map(([at]) => at);
      expect(new Set(notedCodes).size).toBe(notedCodes.length);
      expect(notedCodes.filter((at) => !inSubset(at))).toEqual([]);
      expect(notes.filter(([, against]) => new Set(against).size !== against.length)).toEqual([]);
    }
  });

  test('separate no code from itself, and hold in either order of two codes', () => {
    const codes = fc.constantFrom(...DIAGNOSES.keys());
    for (const code of DIAGNOSES.keys()) expect([code, areExcluded(code, code)]).toEqual([code, false]);
    fc.assert(
      fc.property(codes, codes, (one, other) => {
        expect(areExcluded(one, other)).toBe(areExcluded(other, one));
        expect(mayOverlap(one, other)).toBe(mayOverlap(other, one));
      }),
      { numRuns: 2_000 },
    );
  });
});
