import type { INTERPRETATIONS } from '../schemas.ts';
import { parseRange, parseValue } from './parse-range.ts';
import { placeInRange } from './place-in-range.ts';
import { interpretWords, type Words } from './words.ts';

export type Interpretation = (typeof INTERPRETATIONS)[number];

const SEVERITY: Record<Interpretation, number> = { normal: 0, unknown: 1, abnormal: 2, critical: 3 };

/** An order is as bad as its worst result; one without results is unknown. */
export function worstOf(interpretations: Interpretation[]): Interpretation {
  if (interpretations.length === 0) return 'unknown';
  return interpretations.reduce((worst, next) => (SEVERITY[next] > SEVERITY[worst] ? next : worst));
}

/** Flags of HL7 table 0078; any other is unknown. */
const FLAGS: Record<Exclude<Interpretation, 'unknown'>, string[]> = {
  normal: ['N', 'NEG', 'ND', 'NR', 'B', 'S', 'MS', 'VS'],
  abnormal: ['H', 'L', 'A', '<', '>', 'U', 'D', 'W', 'POS', 'DET', 'RR', 'WR', 'I', 'R', 'HU', 'LU'],
  critical: ['HH', 'LL', 'AA'],
};
const MEANING = new Map(
  Object.entries(FLAGS).flatMap(([meaning, flags]) => flags.map((flag) => [flag, meaning as Interpretation])),
);

export const isFlag = (flag: string): boolean => MEANING.has(flag);

/** The worst of a laboratory's flags; null where it sent none. */
function interpretFlags(flags: string[]): Interpretation | null {
  const sent = flags.map((flag) => flag.trim().toUpperCase()).filter((flag) => flag !== '' && flag !== '""');
  return sent.length === 0 ? null : worstOf(sent.map((flag) => MEANING.get(flag) ?? 'unknown'));
}

type Observed = {
  result: string;
  unit: string | null;
  reference_range: string | null;
  flags: string[];
  /** False while the laboratory may still change its mind. */
  final: boolean;
  /** What words mean by the catalogue of the test; absent or null where it says nothing. */
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
 * What a result means: the laboratory's flags decide, without them the range that it sent, without that the words that
 * the test's catalogue knows. A final number with none of these is normal, since a laboratory flags what is not. Words
 * that nobody has told the meaning of are unknown, as is a result that cannot be compared with its range.
 */
export function interpret({ result, unit, reference_range, flags, final, words = null }: Observed): Judgement {
  const range = parseRange(reference_range, unit);
  const value = parseValue(result);
  const place = range && value && placeInRange(value, range);
  const { min = null, max = null } = range ?? {};
  return {
    interpretation: interpretFlags(flags) ?? byRange() ?? byWords() ?? 'unknown',
    min_range_value: min,
    max_range_value: max,
    is_above_max_range: place && max !== null ? place === 'above' : null,
    is_below_min_range: place && min !== null ? place === 'below' : null,
  };

  function byRange(): Interpretation | null {
    if (place) return place === 'inside' ? 'normal' : 'abnormal';
    return reference_range?.trim() ? compareWords(result, reference_range) : null;
  }

  function byWords(): Interpretation | null {
    if (!value) return words && interpretWords(result, words);
    return final && !reference_range?.trim() ? 'normal' : null;
  }
}

/** Pairs that mean there is nothing, and that there is something. */
const FINDINGS: [none: RegExp, some: RegExp][] = [
  [/^non[ -]?reactive$/, /^reactive$/],
  [/^(?:not|none) detected$/, /^detected$/],
  [/^negative$/, /^positive$/],
  [/^absent$/, /^present$/],
];

/** A range in words, such as `Non Reactive`, against a result in words; null where that tells nothing. */
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
