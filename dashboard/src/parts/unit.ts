/** What follows the u of a micro unit. A word such as `units` begins with u too. */
const MICRO = /(^|[/. ])u(?=(?:L|l|g|m|mol|M|U|IU|\[IU\]|eq|Eq|kat)(?:$|[/.{[]))/g;
const SUPERSCRIPTS: Readonly<Record<string, string>> = Object.fromEntries(
  [...'0123456789-'].map((sign, n) => [sign, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁻'][n] as string]),
);
const raised = (digits: string): string => [...digits].map((digit) => SUPERSCRIPTS[digit]).join('');

/**
 * A unit as people write it. UCUM has words in braces, units in brackets, powers with a star, and u for micro:
 * `mL/min/{1.73_m2}`, `m[IU]/L`, `10*3/uL`.
 */
export const unitInWords = (unit: string | null): string =>
  (unit ?? '')
    .replaceAll(MICRO, '$1µ')
    .replaceAll(/\b10[*^](-?\d+)/g, (_, power: string) => `10${raised(power)}`)
    .replaceAll(/\{([^{}]*)\}/g, (_, words: string) => words.replaceAll('_', ' '))
    .replaceAll(/(?<=^|[/. ])(c?m)([23])(?=$|[/. ])/g, (_, length: string, power: string) => length + raised(power))
    .replaceAll(/[[\]]/g, '');

/** A value or a range as people write it: ≥ and ≤ instead of two signs. */
export const valueInWords = (value: string): string => value.replaceAll('>=', '≥').replaceAll('<=', '≤');

/** A value with its unit, which stay on one line. */
export const withUnit = (value: string | null, unit: string | null): string =>
  [value && valueInWords(value), unitInWords(unit)].filter(Boolean).join('\u00a0');
