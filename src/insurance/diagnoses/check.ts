import { DIAGNOSES } from './codes.ts';
import { areExcluded, mayOverlap } from './excludes.ts';

export type IcdCheck = {
  /** The codes in canonical form, with a point. Each code occurs once. */
  codes: string[];
  /** One sentence for each code that cannot be billed. */
  errors: string[];
  /** Pairs of codes that one patient cannot have at the same time. */
  violations: { code: string; conflicts_with: string; type: string }[];
  /** Findings that a person should check. A code with a warning is still valid. */
  warnings: { code: string; overlaps_with: string; type: string }[];
};

/** The shape of an ICD-10-CM code. The second character is a digit, except in the codes that begin with QA. */
const SHAPE = /^([A-Z]\d|QA)[0-9A-Z](\.[0-9A-Z]{1,4})?$/;

/**
 * Checks the diagnosis codes of one patient: the shape of each code, whether the code is too general or too long to be
 * billed, and the exclusion notes (pairs of codes that exclude each other). Of codes outside our subset of ICD-10-CM,
 * it can check only the shape. If their shape is right, it returns a warning of type not_in_shipped_subset.
 */
export function checkIcdCodes(given: readonly string[]): IcdCheck {
  const written = given.map(writeOut);
  const codes = canonicalCodes(given);
  const found: IcdCheck = { codes, errors: [], violations: [], warnings: [] };
  // The findings contain each code as the caller sent it, so that the caller can find it in the request.
  const sentAs = (code: string): string => (given[written.indexOf(code)] as string).trim();
  for (const code of codes) {
    const sent = sentAs(code);
    const again = written.lastIndexOf(code);
    if (written.indexOf(code) !== again)
      found.warnings.push({ code: (given[again] as string).trim(), overlaps_with: sent, type: 'duplicate' });
    const problem = problemOf(code, sent);
    if (problem) found.errors.push(problem);
    else if (!DIAGNOSES.has(code))
      found.warnings.push({ code: sent, overlaps_with: sent, type: 'not_in_shipped_subset' });
  }
  codes.forEach((code, index) => {
    for (const other of codes.slice(index + 1)) {
      const pair = [sentAs(code), sentAs(other)] as const;
      if (areExcluded(code, other))
        found.violations.push({ code: pair[0], conflicts_with: pair[1], type: 'excludes1' });
      else if (mayOverlap(code, other))
        found.warnings.push({ code: pair[0], overlaps_with: pair[1], type: 'excludes2' });
    }
  });
  return found;
}

/** Returns codes in the form in which we store them: canonical, with a point, and each code once. */
export const canonicalCodes = (given: readonly string[]): string[] => [...new Set(given.map(writeOut))];

/** Returns a code in its canonical form. For example, `e119` becomes `E11.9`. */
function writeOut(text: string): string {
  const code = text.trim().toUpperCase();
  return /^[A-Z0-9]{4,7}$/.test(code) ? `${code.slice(0, 3)}.${code.slice(3)}` : code;
}

/**
 * Returns the problem of a code, or null. Every code of our subset can be billed. A shorter form of such a code is too
 * general to be billed, and a longer form does not exist.
 */
function problemOf(code: string, sent: string): string | null {
  const shown = JSON.stringify(sent);
  if (!SHAPE.test(code)) return `${shown} does not have the shape of an ICD-10-CM code, such as E11.9.`;
  if (DIAGNOSES.has(code)) return null;
  const whole = [...DIAGNOSES.keys()];
  const finer = whole.find((known) => known.startsWith(code));
  if (finer) return `${shown} is not exact enough to be billed: there are codes below it, such as ${finer}.`;
  const coarser = whole.find((known) => code.startsWith(known));
  if (coarser) return `${shown} is no code: ${coarser} has none below it.`;
  return null;
}
