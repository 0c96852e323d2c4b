// Checks that the LOINC codes in the seeds of the sandbox agree with those of common analytes.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ucumOf } from '../../interpretation/ucum-units.ts';
import { COMMON_ANALYTES } from './common-analytes.ts';

type Fact = { code: string; name: string; units: string[] };

const seeds = readFileSync(new URL('../../../../../seeds/sandbox/catalogue.sql', import.meta.url), 'utf8');
const catalogued: Fact[] = [
  ...seeds.matchAll(
    /^ {2}\(\d+, '[a-z0-9-]+', '[^']+', '(\d+-\d)',\s+'([^']+)',\s+(?:'([^']+)', 'numeric'|'coded_value')/gm,
  ),
].map(([, code = '', name = '', unit]) => ({ code, name, units: unit === undefined ? [] : [unit] }));
const all: Fact[] = [...catalogued, ...COMMON_ANALYTES];

/**
 * Returns the check digit of a LOINC code (Luhn algorithm). It doubles every second digit, beginning with the last one,
 * and adds up all digits. The check digit makes the sum a multiple of ten.
 */
function checkDigit(number: string): number {
  const sum = [...number].toReversed().reduce((total, digit, at) => {
    const doubled = at % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + Math.floor(doubled / 10) + (doubled % 10);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

/** The UCUM units of each property. A LOINC name has its property in brackets, such as `[Mass/volume]`. */
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

describe('the LOINC codes', () => {
  test('are read completely from the seeds', () => {
    expect(catalogued).toHaveLength(seeds.match(/'\d{1,6}-\d',$/gm)?.length ?? 0);
    expect(catalogued.length).toBeGreaterThan(60);
  });

  test('have a correct check digit and one name each', () => {
    for (const { code, name } of all) {
      const [number = '', last] = code.split('-');
      expect(checkDigit(number), code).toBe(Number(last));
      expect(new Set(all.filter((other) => other.code === code).map((each) => each.name)), code).toEqual(
        new Set([name]),
      );
    }
  });

  test('and their aliases are unique', () => {
    for (const facts of [catalogued, COMMON_ANALYTES])
      expect(new Set(facts.map(({ code }) => code)).size).toBe(facts.length);
    const aliases = COMMON_ANALYTES.flatMap((each) => each.aliases);
    expect(aliases.filter((each, at) => aliases.indexOf(each) !== at)).toEqual([]);
    expect(aliases.filter((each) => !/^[a-z0-9]+( [a-z0-9]+)*$/.test(each))).toEqual([]);
  });

  test('have units that fit the property in their name', () => {
    for (const { code, name, units } of all) {
      const measured = /\[([^\]]+)\]/.exec(name)?.[1];
      // Only the name of hemoglobin A1c has no brackets. Its unit is %, because it is a share of all hemoglobin.
      const known = measured === undefined ? /^%$/ : UNITS[measured];
      for (const unit of units) expect(ucumOf(unit), `${code} ${measured}`).toMatch(known ?? /^$/);
    }
  });
});
