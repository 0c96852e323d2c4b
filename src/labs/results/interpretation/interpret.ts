import type { INTERPRETATIONS } from '../schemas.ts';
import { parseRange, parseValue } from './parse-range.ts';
import { positionInRange } from './position-in-range.ts';
import { interpretWords, type Words } from './interpret-words.ts';

export type Interpretation = (typeof INTERPRETATIONS)[number];

const SEVERITY: Record<Interpretation, number> = { normal: 0, unknown: 1, abnormal: 2, critical: 3 };

/**
 * Returns the worst of the interpretations of an order's results. It becomes the interpretation of the order. Returns
 * 'unknown' if there are no results.
 */
export function worstOf(interpretations: Interpretation[]): Interpretation {
  if (interpretations.length === 0) return 'unknown';
  return interpretations.reduce((worst, next) => (SEVERITY[next] > SEVERITY[worst] ? next : worst));
}

/**
 * The flags of a result (HL7 table 0078) that we can interpret, such as `H` for high. All other flags mean 'unknown'.
 */
const FLAGS: Record<Exclude<Interpretation, 'unknown'>, string[]> = {
  normal: ['N', 'NEG', 'ND', 'NR', 'B', 'S', 'MS', 'VS'],
  abnormal: ['H', 'L', 'A', '<', '>', 'U', 'D', 'W', 'POS', 'DET', 'RR', 'WR', 'I', 'R', 'HU', 'LU'],
  critical: ['HH', 'LL', 'AA'],
};
const MEANING = new Map(
  Object.entries(FLAGS).flatMap(([meaning, flags]) => flags.map((flag) => [flag, meaning as Interpretation])),
);

export const isFlag = (flag: string): boolean => MEANING.has(flag);

/** Returns the interpretation of the worst flag that a laboratory sent. Returns null if it sent none. */
function interpretFlags(flags: string[]): Interpretation | null {
  const sent = flags.map((flag) => flag.trim().toUpperCase()).filter((flag) => flag !== '' && flag !== '""');
  return sent.length === 0 ? null : worstOf(sent.map((flag) => MEANING.get(flag) ?? 'unknown'));
}

type Observed = {
  result: string;
  unit: string | null;
  reference_range: string | null;
  flags: string[];
  /** False if the laboratory may still change the result. */
  final: boolean;
  /** The words in the test's catalogue entry. They are missing or null if the entry has no words. */
  words?: Words | null;
};

export type Judgement = {
  interpretation: Interpretation;
  min_range_value: number | null;
  max_range_value: number | null;
  is_above_max_range: boolean | null;
  is_below_min_range: boolean | null;
};

/**
 * Interprets a result. The first of these that exists decides: the laboratory's flags, the reference range, the words
 * in the test's catalogue entry. A final number without flags and range is normal, because laboratories flag abnormal
 * values. The result is unknown if we do not know the meaning of its words, or cannot compare it with its range.
 */
export function interpret({ result, unit, reference_range, flags, final, words = null }: Observed): Judgement {
  const range = parseRange(reference_range, unit);
  const value = parseValue(result);
  const position = range && value && positionInRange(value, range);
  const { min = null, max = null } = range ?? {};
  return {
    interpretation: interpretFlags(flags) ?? byRange() ?? byWords() ?? 'unknown',
    min_range_value: min,
    max_range_value: max,
    is_above_max_range: position && max !== null ? position === 'above' : null,
    is_below_min_range: position && min !== null ? position === 'below' : null,
  };

  function byRange(): Interpretation | null {
    if (position) return position === 'inside' ? 'normal' : 'abnormal';
    return reference_range?.trim() ? compareWords(result, reference_range) : null;
  }

  function byWords(): Interpretation | null {
    if (!value) return words && interpretWords(result, words);
    return final && !reference_range?.trim() ? 'normal' : null;
  }
}

/** Pairs of words. The first means that the laboratory found nothing, the second that it found something. */
const FINDINGS: [none: RegExp, some: RegExp][] = [
  [/^non[ -]?reactive$/, /^reactive$/],
  [/^(?:not|none) detected$/, /^detected$/],
  [/^negative$/, /^positive$/],
  [/^absent$/, /^present$/],
];

/**
 * Compares a result in words with a reference range in words, such as `Non Reactive`. Returns null if they cannot be
 * compared.
 */
function compareWords(result: string, range: string): Interpretation | null {
  const [found, expected] = [result, range].map((text) => text.trim().toLowerCase()) as [string, string];
  if (found === expected) return 'normal';
  for (const [none, some] of FINDINGS) {
    if (!none.test(expected)) continue;
    if (none.test(found)) return 'normal';
    if (some.test(found)) return 'abnormal';
  }
  return null;
}
