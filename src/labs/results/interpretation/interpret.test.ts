import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interpret } from './interpret.ts';
import { parseRange, parseValue } from './parse-range.ts';
import { readValue } from './read-value.ts';
import { ucumOf } from './ucum-units.ts';

const read = (
  result: string,
  reference_range: string | null,
  flags: string[] = [],
  unit: string | null = null,
): ReturnType<typeof interpret> => interpret({ result, unit, reference_range, flags, final: true });

describe('a range', () => {
  test.each([
    ['<5.7', null, false, 5.7, false],
    ['<=5.7', null, false, 5.7, true],
    ['≤ 5.7', null, false, 5.7, true],
    ['< OR = 9.9', null, false, 9.9, true],
    ['<OR=9.9', null, false, 9.9, true],
    ['> or = 40', 40, true, null, false],
    ['>3.0', 3, false, null, false],
    ['3.5-7.8', 3.5, true, 7.8, true],
    ['3.5 - 7.8', 3.5, true, 7.8, true],
    ['3.5 to 7.8', 3.5, true, 7.8, true],
    ['3.5–7.8', 3.5, true, 7.8, true],
    ['3.5—7.8', 3.5, true, 7.8, true],
    ['-5.0 - +2.0', -5, true, 2, true],
    ['-5--2', -5, true, -2, true],
    ['−5 − −2', -5, true, -2, true],
    ['1,000-4,500', 1000, true, 4500, true],
    ['150,000 - 1,400,000', 150_000, true, 1_400_000, true],
    ['.5-1.5', 0.5, true, 1.5, true],
    ['70-99 mg/dL', 70, true, 99, true],
  ])('%s is read', (text, min, minIncluded, max, maxIncluded) => {
    expect(parseRange(text, 'mg/dL')).toEqual({ min, minIncluded, max, maxIncluded });
  });

  test.each([
    '',
    '-',
    '5-',
    '-5-',
    '<0.5 or >9',
    'Non Reactive',
    'Non-Reactive',
    'NEGATIVE',
    'See note',
    '9-5',
    '3,5-5,5',
    '1,00-2,00',
    '70 99',
    '< 5 10',
    '<100 optimal; 100-129 near optimal',
    '70-99 mmol/L',
    '1-2-3',
    `${'9'.repeat(40)}-1`,
    '<'.repeat(200),
  ])('%s may not be one interval', (text) => {
    expect(parseRange(text, 'mg/dL')).toBeNull();
  });
});

describe('without a flag the range decides', () => {
  test.each([
    ['5.6', '<5.7', 'normal'],
    ['5.7', '<5.7', 'abnormal'],
    ['5.7', '<=5.7', 'normal'],
    ['9.9', '< OR = 9.9', 'normal'],
    ['10', '< OR = 9.9', 'abnormal'],
    ['2.6', '2.6-24.9', 'normal'],
    ['24.9', '2.6-24.9', 'normal'],
    ['25', '2.6-24.9', 'abnormal'],
    ['1,250', '1,000-4,500', 'normal'],
    ['-6', '-5.0 - +2.0', 'abnormal'],
    ['+1', '-5.0 - +2.0', 'normal'],
    ['<0.2', '0.4-4.0', 'abnormal'],
    ['<5', '0-99', 'normal'],
    ['<5', '1-99', 'unknown'],
    ['>500', '<100', 'abnormal'],
    ['<10', '<5.7', 'unknown'],
    ['>60', '>59', 'normal'],
    ['>60', '60-120', 'unknown'],
    ['<0.4', '0.4-4.0', 'abnormal'],
    ['<=0.4', '0.4-4.0', 'unknown'],
    ['0-2', '0-5', 'normal'],
    ['10-20', '0-5', 'abnormal'],
    ['4', '<0.5 or >9', 'unknown'],
    ['4', '5-', 'unknown'],
    ['Non Reactive', 'Non Reactive', 'normal'],
    ['non-reactive', 'Non Reactive', 'normal'],
    ['Reactive', 'Non Reactive', 'abnormal'],
    ['Detected', 'Not detected', 'abnormal'],
    ['Trace', 'Negative', 'unknown'],
    ['See note', '3-5', 'unknown'],
  ])('%s against %s is %s', (result, range, interpretation) => {
    expect(read(result, range).interpretation).toBe(interpretation);
  });

  test('and without a range a final result is normal, a preliminary one unknown', () => {
    expect(read('5', null).interpretation).toBe('normal');
    expect(interpret({ result: '5', unit: null, reference_range: null, flags: [], final: false }).interpretation).toBe(
      'unknown',
    );
  });
});

describe('words without a flag or a range', () => {
  const words = {
    normal: ['Non-reactive', 'Not detected', 'Negative', 'Absent'],
    abnormal: ['Reactive', 'Detected', 'Positive', 'Present'],
  };
  const judged = (result: string, more: Partial<Parameters<typeof interpret>[0]> = {}): string =>
    interpret({ result, unit: null, reference_range: null, flags: [], final: true, ...more }).interpretation;

  test.each(['Reactive', 'POSITIVE', 'Detected', 'Non-reactive', 'Negative', 'See note', '1:40', 'Yellow', ''])(
    '%s is unknown, because the catalogue does not know its meaning',
    (result) => {
      expect(judged(result)).toBe('unknown');
      expect(judged(result, { words: { normal: [], abnormal: [] } })).toBe('unknown');
    },
  );

  test.each([
    ['Reactive', 'abnormal'],
    ['REACTIVE.', 'abnormal'],
    ['Positive', 'abnormal'],
    ['Non Reactive', 'normal'],
    ['NONREACTIVE', 'normal'],
    ['Non-Reactive', 'normal'],
    ['not detected', 'normal'],
    ['Weakly reactive', 'unknown'],
    ['Not detected\nNegative', 'normal'],
    ['Negative\nPositive', 'abnormal'],
    ['Negative\nSee note', 'unknown'],
    ['constructor', 'unknown'],
  ])('%s is %s if the catalogue of the test says so', (result, interpretation) => {
    expect(judged(result, { words })).toBe(interpretation);
    expect(judged(result, { words, final: false })).toBe(interpretation);
  });

  test('mean what the laboratory says about them, even if the catalogue differs', () => {
    expect(judged('Reactive', { words, flags: ['N'] })).toBe('normal');
    expect(judged('Positive', { words, reference_range: 'Positive' })).toBe('normal');
    expect(judged('Reactive', { words, reference_range: 'Non Reactive' })).toBe('abnormal');
    expect(judged('Reactive', { words, reference_range: 'See report' })).toBe('abnormal');
  });

  test('of the catalogue do not apply to numbers', () => {
    expect(judged('5', { words })).toBe('normal');
    expect(judged('<5', { words })).toBe('normal');
    expect(judged('5', { words, reference_range: 'See report' })).toBe('unknown');
  });
});

describe('a number', () => {
  test.each([
    ['10^3', '1000'],
    ['1.5x10^3', '1500'],
    ['1.5 x 10^3', '1500'],
    ['2*10**-3', '0.002'],
    ['1.5E3', '1500'],
    ['1e-2', '0.01'],
    ['500.', '500'],
    ['1,250', '1250'],
    ['12345678901234.5', '12345678901234.5'],
  ])('written %s is %s', (written, meant) => {
    expect(readValue('numeric', written, null)).toEqual({ type: 'numeric', result: meant, value: Number(meant) });
  });

  test.each([
    ['<10', '<10'],
    ['>= 5.0', '>=5.0'],
    ['=> 5.0', '>=5.0'],
    ['< OR = 3', '<=3'],
    ['<1.0E-2', '<0.010'],
    ['>1x10^6', '>1000000'],
  ])('bounded by %s is the range %s', (written, meant) => {
    expect(readValue('numeric', written, null)).toEqual({ type: 'range', result: meant, value: -1 });
  });

  test.each(['10^', '^3', '10^400', 'x10^3', '1.2.3', '10^3^2'])('is not read from %s', (written) => {
    expect(parseValue(written)).toBeNull();
  });
});

describe('a flag', () => {
  test.each([
    [['N'], 'normal'],
    [['H'], 'abnormal'],
    [['H', 'HH'], 'critical'],
    [['hh '], 'critical'],
    [['LL'], 'critical'],
    [['AA'], 'critical'],
    [['A', 'N'], 'abnormal'],
    [['POS'], 'abnormal'],
    [['NEG'], 'normal'],
    [['S'], 'normal'],
    [['R'], 'abnormal'],
    [['ZZ'], 'unknown'],
    [['N', 'ZZ'], 'unknown'],
    [['H', 'ZZ'], 'abnormal'],
  ])('%j means %s, whatever the range is', (flags, interpretation) => {
    for (const result of ['1', '5', '900']) expect(read(result, '3-7', flags).interpretation).toBe(interpretation);
  });

  test('that is empty does not count', () => {
    expect(read('9', '3-7', ['', '""']).interpretation).toBe('abnormal');
  });
});

test('the ends of the range and the side of the value come from the same reading', () => {
  expect(read('9', '3-7')).toMatchObject({
    min_range_value: 3,
    max_range_value: 7,
    is_above_max_range: true,
    is_below_min_range: false,
  });
  expect(read('<0.2', '0.4-4.0')).toMatchObject({ is_above_max_range: false, is_below_min_range: true });
  expect(read('1', '<3')).toMatchObject({
    min_range_value: null,
    max_range_value: 3,
    is_above_max_range: false,
    is_below_min_range: null,
  });
  expect(read('<5', '1-99')).toMatchObject({ is_above_max_range: null, is_below_min_range: null });
});

describe('a value', () => {
  test.each([
    ['numeric', '5.10', null, 'numeric', '5.10', 5.1],
    ['numeric', '1,250', null, 'numeric', '1250', 1250],
    ['numeric', '+2', null, 'numeric', '2', 2],
    ['numeric', '-3.5', null, 'numeric', '-3.5', -3.5],
    ['numeric', 'hemolyzed', null, 'comment', 'hemolyzed', -1],
    ['numeric', '<0.2', null, 'range', '<0.2', -1],
    ['comment', '> 500', null, 'range', '>500', -1],
    ['comment', '< OR = 5', null, 'range', '<=5', -1],
    ['range', '5-10', null, 'range', '5-10', -1],
    ['comment', '7', 'mg/dL', 'numeric', '7', 7],
    ['comment', '7', null, 'comment', '7', -1],
    ['range', '-', null, 'comment', '-', -1],
    ['range', '', null, 'comment', '', -1],
    ['range', '-5--2', null, 'comment', '-5--2', -1],
    ['coded_value', '5', null, 'coded_value', '5', -1],
  ] as const)('of type %s, %s with unit %s, is %s', (kind, text, unit, type, result, value) => {
    expect(readValue(kind, text, unit)).toEqual({ type, result, value });
  });
});

test('units are converted to UCUM', () => {
  expect(['mEq/L', 'uIU/mL', 'mIU/L', 'IU/mL', 'K/uL', 'µg/dL', 'mg/dL', ' ', null].map(ucumOf)).toEqual([
    'meq/L',
    'u[IU]/mL',
    'm[IU]/L',
    '[IU]/mL',
    '10*3/uL',
    'ug/dL',
    'mg/dL',
    null,
    null,
  ]);
});

describe('for any text', () => {
  const number = fc.integer({ min: -100_000, max: 100_000 }).map((n) => n / 100);
  const scrambled = fc
    .array(fc.constantFrom(...'0123456789.,-+<>= \n–≤orORtTNe%/'), { maxLength: 300 })
    .map((c) => c.join(''));

  test('reading ends at once, with numbers or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(scrambled, fc.string({ maxLength: 300 })), scrambled, (range, result) => {
        const started = performance.now();
        for (const interval of [parseRange(range, '%'), parseValue(result)]) {
          for (const end of [interval?.min ?? 0, interval?.max ?? 0]) expect(Number.isFinite(end)).toBe(true);
        }
        expect(['normal', 'abnormal', 'critical', 'unknown']).toContain(read(result, range).interpretation);
        expect(performance.now() - started).toBeLessThan(1_000);
      }),
      { numRuns: 2_000 },
    );
    for (const long of ['9,'.repeat(50_000), '< or '.repeat(20_000), `${'9'.repeat(100_000)}-`]) {
      expect(parseRange(long)).toBeNull();
    }
  });

  test('a number is normal exactly between the ends, in every form of the range', () => {
    fc.assert(
      fc.property(number, number, number, fc.constantFrom('-', ' - ', '–', ' to '), (value, a, b, dash) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        const expected = value >= min && value <= max ? 'normal' : 'abnormal';
        expect(read(String(value), `${min}${dash}${max}`).interpretation).toBe(expected);
      }),
    );
  });

  test('`<x` is normal, abnormal or unknown if all, none or some of the numbers below x are normal', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 0, max: 50 }),
        (x, a, b) => {
          const [min, max] = [Math.min(a, b), Math.max(a, b)];
          const below = Array.from({ length: x * 10 }, (_, n) => n / 10);
          const inside = below.filter((value) => value >= min && value <= max).length;
          const expected = inside === below.length && max >= x ? 'normal' : inside === 0 ? 'abnormal' : 'unknown';
          // The test looks only at tenths. If x is above the range but no tenth below x is, it cannot tell the result.
          fc.pre(max >= x || below.some((value) => value > max));
          expect(read(`<${x}`, `${min}-${max}`).interpretation).toBe(expected);
        },
      ),
    );
  });
});
