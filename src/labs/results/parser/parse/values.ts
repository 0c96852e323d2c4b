const NUMBER =
  /^([<>]=?|≤|≥)?\s*([-+]?\d[\d,]*(?:\.\d+)?)(?:\s*([^\s\d]\S{0,19}|10[*^]\S{1,18}))?(?:\s+(H|L|HH|LL|A|\*|HIGH|LOW))?$/i;
const FLAG = /^(H|L|HH|LL|A|\*|HIGH|LOW|CRITICAL|ABNORMAL)$/i;
/** Matches words that are the result of a test. */
const WORDS =
  /^((not|none) (detected|seen|observed)|(non-? ?)?reactive|negative|positive|detected|absent|present|trace|normal|abnormal|clear|cloudy|yellow|amber|straw|few|many|moderate|rare|see note|pending|indeterminate|equivocal|immune|(non-?)?immune|a|b|ab|o|rh positive|rh negative)\b.{0,60}$/i;
const TITER = /^1\s*:\s*\d{1,6}$/;

export type ReadValue = { text: string; unit: string | null; flag: string | null };

/**
 * Reads a cell of the value column. The cell contains a figure, perhaps with a unit and a flag, or it contains words.
 * Returns null for any other text.
 */
export function readValue(cell: string, hasUnit: boolean): ReadValue | null {
  const number = NUMBER.exec(cell);
  if (number) {
    const [, comparator = '', digits = '', after, last] = number;
    const isFlag = after !== undefined && FLAG.test(after);
    return {
      text: `${comparator}${digits}`,
      unit: isFlag || hasUnit ? null : (after ?? null),
      flag: last ?? (isFlag ? (after as string) : null),
    };
  }
  const text = cell.trim();
  return TITER.test(text) || WORDS.test(text) ? { text: text.slice(0, 100), unit: null, flag: null } : null;
}
