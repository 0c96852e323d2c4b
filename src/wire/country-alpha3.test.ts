import { expect, test } from 'vitest';
import { countryAlpha3 } from './country-alpha3.ts';
import { countryCode } from './country.ts';

/** Former countries whose codes Intl still knows. */
const FORMER = new Set('AN BU CS DD DY FX HV NH RH SU TP VD YD YU ZR'.split(' '));

test('every country of an address has its own three-letter code', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => countryCode(code) === code && !FORMER.has(code));
  const alpha3 = codes.map((code) => [code, countryAlpha3(code)]);
  expect(codes.length).toBeGreaterThan(240);
  expect(alpha3.filter(([, found]) => found === null)).toEqual([]);
  expect(new Set(alpha3.map(([, found]) => found)).size).toBe(codes.length);
  expect(['United States', 'usa', 'Mexico', 'XX'].map(countryAlpha3)).toEqual(['USA', 'USA', 'MEX', null]);
});
