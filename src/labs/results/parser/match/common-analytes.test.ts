// What the program says of LOINC, in the seeds of the sandbox and in what reports commonly hold, agrees with itself.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ucumOf } from '../../interpretation/units.ts';
import { COMMON_ANALYTES } from './common-analytes.ts';

type Fact = { code: string; name: string; units: string[] };

const seeds = readFileSync(new URL('../../../../../seeds/sandbox/catalogue.sql', import.meta.url), 'utf8');
const catalogued: Fact[] = [
  ...seeds.matchAll(
    /^ {2}\(\d+, '[a-z0-9-]+', '[^']+', '(\d+-\d)',\s+'([^']+)',\s+(?:'([^']+)', 'numeric'|'coded_value')/gm,
  ),
].map(([, code = '', name = '', unit]) => ({ code, name, units: unit === undefined ? [] : [unit] }));
const all: Fact[] = [...catalogued, ...COMMON_ANALYTES];

/** The last digit of a LOINC code: the sum of the digits, every second one from the right doubled, filled up to a ten. */
function checkDigit(number: string): number {
  const sum = [...number].toReversed().reduce((total, digit, at) => {
    const doubled = at % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + Math.floor(doubled / 10) + (doubled % 10);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

/** What is measured, as LOINC's name has it between brackets, and the UCUM units of it that are used here. */
const UNITS: Record<string, RegExp> = {
  'Mass/volume': /^[pnum]?g\/(d|m)?L$/,
  'Moles/volume': /^([num]?mol|meq)\/L$/,
  'Units/volume': /^[um]?\[IU\]\/m?L$/,
  'Enzymatic activity/volume': /^(U|\[IU\])\/L$/,
  '#/volume': /^10\*[36]\/uL$/,
  'Volume Fraction': /^%$/,
  'Mass Fraction': /^%$/,
  'Mass Ratio': /^(\{ratio\}|calc)$/,
  'Volume Rate/Area': /^mL\/min\/\{1\.73_m2\}$/,
  'Entitic mean volume': /^fL$/,
  'Entitic mass': /^pg$/,
  'Entitic Mass/volume': /^g\/dL$/,
  DistWidth: /^%$/,
};

describe('what is said of LOINC', () => {
  test('is read whole from the seeds', () => {
    expect(catalogued).toHaveLength(seeds.match(/'\d{1,6}-\d',$/gm)?.length ?? 0);
    expect(catalogued.length).toBeGreaterThan(60);
  });

  test('has codes whose last digit is right, each with one name', () => {
    for (const { code, name } of all) {
      const [number = '', last] = code.split('-');
      expect(checkDigit(number), code).toBe(Number(last));
      expect(new Set(all.filter((other) => other.code === code).map((each) => each.name)), code).toEqual(
        new Set([name]),
      );
    }
  });

  test('has no code and no alias twice', () => {
    for (const facts of [catalogued, COMMON_ANALYTES])
      expect(new Set(facts.map(({ code }) => code)).size).toBe(facts.length);
    const aliases = COMMON_ANALYTES.flatMap((each) => each.aliases);
    expect(aliases.filter((each, at) => aliases.indexOf(each) !== at)).toEqual([]);
    expect(aliases.filter((each) => !/^[a-z0-9]+( [a-z0-9]+)*$/.test(each))).toEqual([]);
  });

  test('has units of what the name says is measured', () => {
    for (const { code, name, units } of all) {
      const measured = /\[([^\]]+)\]/.exec(name)?.[1];
      // A share of all hemoglobin, the one name without brackets.
      const known = measured === undefined ? /^%$/ : UNITS[measured];
      for (const unit of units) expect(ucumOf(unit), `${code} ${measured}`).toMatch(known ?? /^$/);
    }
  });
});
