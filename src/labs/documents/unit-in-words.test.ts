import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { unitInWords, valueInWords } from './unit-in-words.ts';

const said = (unit: string): string => unitInWords(unit).replaceAll('\u202F', ' ');

test.each([
  ['{ratio}', 'ratio'],
  ['mL/min/{1.73_m2}', 'mL/min/1.73 m²'],
  ['m[IU]/L', 'mIU/L'],
  ['u[IU]/mL', 'µIU/mL'],
  ['[IU]/mL', 'IU/mL'],
  ['10*3/uL', '10³/µL'],
  ['10*6/uL', '10⁶/µL'],
  ['10^9/L', '10⁹/L'],
  ['10*-3', '10⁻³'],
  ['mg/dL', 'mg/dL'],
  ['mg/dl', 'mg/dL'],
  ['ug/dL', 'mcg/dL'],
  ['umol/L', 'µmol/L'],
  ['meq/L', 'mEq/L'],
  ['mosm/kg', 'mOsm/kg'],
  ['%', '%'],
  ['fL', 'fL'],
  ['pg', 'pg'],
  ['mm[Hg]', 'mmHg'],
  ['mm/h', 'mm/h'],
  ['kg/m2', 'kg/m²'],
  ['Cel', '°C'],
  ['[pH]', 'pH'],
  ['/[HPF]', '/HPF'],
  ['{cells}/uL', 'cells/µL'],
  ['/100{WBC}', '/100 WBC'],
  ['mg/g{creat}', 'mg/g creat'],
  ['ug/mL{FEU}', 'mcg/mL FEU'],
  ['{s_co_ratio}', 's co ratio'],
  ['mg/(24.h)', 'mg/24 h'],
  ['mg/d', 'mg/day'],
  ['mmol.s-1', 'mmol·s⁻¹'],
])('%s is printed as %s', (unit, words) => {
  expect(said(unit)).toBe(words);
});

test.each([
  '',
  'x10E3/uL',
  'K/uL',
  'Index [H]',
  'ug/mL FEU',
  'MG/DL',
  '[unknown]/mL',
  'mg/{a{b}}',
  'mg/{}',
  'mg//dL',
  'mg/',
  '{<b>}',
  'mL/min/1.73',
  '1.5',
  'see {note} below',
  `{${'x'.repeat(80)}}`,
])('%j is not a known unit, and stays as it is', (unit) => {
  expect(unitInWords(unit)).toBe(unit);
});

test('an earlier value is printed with its unit in words, and a text stays as it is', () => {
  const words = (value: string, unit: string | null): string => valueInWords(value, unit).replaceAll('\u202F', ' ');
  expect(words('2.8 {ratio}', '{ratio}')).toBe('2.8 ratio');
  expect(words('>60 mL/min/{1.73_m2}', 'mL/min')).toBe('>60 mL/min/1.73 m²');
  expect(words('hemolyzed {ratio}', '{ratio}')).toBe('hemolyzed ratio');
  for (const text of ['7', 'Not detected', 'seen in {ratio}', 'group a', '70-99'])
    expect(valueInWords(text, 'mg/dL')).toBe(text);
});

describe('any unit that a laboratory sends', () => {
  const factors = fc.constantFrom(
    'mg',
    'dL',
    'u[IU]',
    '{ratio}',
    '10*3',
    'mm[Hg]',
    '/',
    '.',
    '{1.73_m2}',
    '100',
    '(24.h)',
  );

  test('is either wholly in words or unchanged', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(factors).map((parts) => parts.join('')),
        ),
        (unit) => {
          const words = unitInWords(unit);
          expect(words === unit || !/[{}[\]*^()]/.test(words)).toBe(true);
          expect(unitInWords(words)).toBe(words);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('the catalogue', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  test('has no unit whose words contain a brace, a bracket, a star or a breaking space', async () => {
    const analytes = await app.db.selectFrom('analytes').select('unit').distinct().execute();
    const units = analytes.flatMap(({ unit }) => unit ?? []);
    expect(units).toEqual(expect.arrayContaining(['{ratio}', 'mL/min/{1.73_m2}', 'm[IU]/L']));
    for (const unit of units) expect(unitInWords(unit)).toMatch(/^[^{}[\]*\s]+(?:\u202F[^{}[\]*\s]+)*$/);
  });
});
