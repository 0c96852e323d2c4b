import { DIAGNOSES } from './codes.ts';
import { areExcluded, mayOverlap } from './excludes.ts';

export type IcdCheck = {
  /** In the usual form, with a point, each once. */
  codes: string[];
  /** Sentences about codes that cannot be billed. */
  errors: string[];
  /** Pairs that are never of one patient at one time. */
  violations: { code: string; conflicts_with: string; type: string }[];
  /** What is worth a look and refuses nothing. */
  warnings: { code: string; overlaps_with: string; type: string }[];
};

/** Chapter XVII goes on behind Q99 with QA0: the only letter that stands second. */
const SHAPE = /^([A-Z]\d|QA)[0-9A-Z](\.[0-9A-Z]{1,4})?$/;

/**
 * What is wrong with the diagnoses of one patient, as far as it shows: their shape, a code that has to be more or less
 * exact, and notes of exclusion. The last three know only the shipped subset of ICD-10-CM, so that any other code of the right
 * shape passes, with a warning of type not_in_shipped_subset.
 */
export function checkIcdCodes(given: readonly string[]): IcdCheck {
  const written = given.map(writeOut);
  const codes = canonicalCodes(given);
  const found: IcdCheck = { codes, errors: [], violations: [], warnings: [] };
  // Who reads what is wrong looks for the codes that were sent.
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

/** Codes as they are kept: in the usual form, with a point, each once. */
export const canonicalCodes = (given: readonly string[]): string[] => [...new Set(given.map(writeOut))];

/** `e119` is written E11.9. */
function writeOut(text: string): string {
  const code = text.trim().toUpperCase();
  return /^[A-Z0-9]{4,7}$/.test(code) ? `${code.slice(0, 3)}.${code.slice(3)}` : code;
}

/** Only codes of the subset are known to be whole: what goes on behind one, or ends before one, is no code to bill. */
function problemOf(code: string, sent: string): string | null {
  const shown = JSON.stringify(sent);
  if (!SHAPE.test(code)) return `${shown} does not have the shape of an ICD-10-CM code, such as E11.9.`;
  if (DIAGNOSES.has(code)) return null;
  const whole = [...DIAGNOSES.keys()];
  const finer = whole.find((known) => known.startsWith(code));
  if (finer) return `${shown} is not exact enough to be billed: it has codes below it, such as ${finer}.`;
  const coarser = whole.find((known) => code.startsWith(known));
  if (coarser) return `${shown} is no code: ${coarser} has none below it.`;
  return null;
}
