import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { DIAGNOSES } from './codes.ts';
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

  test('words find every description that has them all', async () => {
    expect(await search('vitamin D deficiency')).toEqual(['E55.9']);
    expect(await search('hiv contact')).toEqual(['Z20.6']);
    expect(await search('zebra')).toEqual([]);
  });

  test('at most 50 are answered, whole, and what stands only beside another says so', async () => {
    expect(await search('unspecified')).toHaveLength(50);
    const { body } = await app.api('GET', '/v3/insurance/search/diagnosis?diagnosis_query=D63.1');
    expect(body).toEqual([
      { diagnosis_code: 'D63.1', description: 'Anemia in chronic kidney disease', is_secondary: true },
    ]);
  });

  test.each(['', '?diagnosis_query=', `?diagnosis_query=${'x'.repeat(201)}`])('needs words: %j', async (query) => {
    expect((await app.api('GET', `/v3/insurance/search/diagnosis${query}`)).status).toBe(422);
  });
});

describe('checking diagnoses', () => {
  test('codes that can be billed and exclude nothing are valid, with their point or without', async () => {
    expect(await check('E11.9', 'i10', 'E559')).toEqual(fine);
    expect(await check()).toEqual(fine);
  });

  test.each(['diabetes', '11.9', 'E1', 'E11.', 'E11.99999', 'E11-9'])('%j has no shape of a code', async (code) => {
    const { valid, errors } = await check(code);
    expect([valid, errors]).toEqual([false, [expect.stringContaining('shape')]]);
  });

  test('a category and a code that goes on behind one that is whole cannot be billed', async () => {
    expect((await check('E11', 'N18.3', 'E11.91')).errors).toEqual([
      expect.stringMatching(/"E11" is not exact enough .* such as E11\.21\./),
      expect.stringMatching(/"N18\.3" is not exact enough/),
      '"E11.91" is no code: E11.9 has none below it.',
    ]);
  });

  test('two codes that Excludes1 keeps apart are a violation, whichever comes first', async () => {
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

  test('what may stand together, what is sent twice and what the subset has not is a warning', async () => {
    expect(await check('J00', 'J30.9', 'j00', 'S93.401A')).toEqual({
      ...fine,
      warnings: [
        { code: 'J00', overlaps_with: 'J00', type: 'duplicate' },
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

test('every code of the subset has the shape of one that can be billed, and none lies below another', async () => {
  expect(DIAGNOSES.size).toBeGreaterThan(400);
  for (const [code, { description }] of DIAGNOSES) {
    expect(code).toMatch(/^[A-Z]\d[0-9A-Z](\.[0-9A-Z]{1,4})?$/);
    expect(description.length).toBeGreaterThan(3);
  }
  const codes = [...DIAGNOSES.keys()];
  expect(codes.filter((code) => codes.some((other) => other !== code && other.startsWith(code)))).toEqual([]);
});
