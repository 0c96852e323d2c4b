/** A unit as people write it. UCUM puts words of its own into braces: `mL/min/{1.73_m2}`. */
export const unitInWords = (unit: string | null): string =>
  (unit ?? '').replaceAll(/\{([^{}]*)\}/g, (_, words: string) => words.replaceAll('_', ' ').replaceAll('m2', 'm²'));
