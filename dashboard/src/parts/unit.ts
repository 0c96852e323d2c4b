/** A unit as people write it. UCUM has words in braces and units in brackets: `mL/min/{1.73_m2}`, `m[IU]/L`. */
export const unitInWords = (unit: string | null): string =>
  (unit ?? '')
    .replaceAll(/\{([^{}]*)\}/g, (_, words: string) => words.replaceAll('_', ' ').replaceAll('m2', 'm²'))
    .replaceAll(/[[\]]/g, '');

/** A value with its unit, which stay on one line. */
export const withUnit = (value: string | null, unit: string | null): string =>
  [value, unitInWords(unit)].filter(Boolean).join('\u00a0');
