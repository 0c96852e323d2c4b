import type { INTERPRETATIONS } from '../schemas.ts';
import { parseRange, parseValue } from './parse-range.ts';
import { placeInRange } from './place-in-range.ts';

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
};

export type Judgement = {
  interpretation: Interpretation;
  min_range_value: number | null;
  max_range_value: number | null;
  is_above_max_range: boolean | null;
  is_below_min_range: boolean | null;
};

/**
 * What a result means: the laboratory's flags decide, without them the range that it sent. A final result with neither
 * is normal, since a laboratory flags what is not; a range that cannot be compared with it leaves it unknown.
 */
export function interpret({ result, unit, reference_range, flags, final }: Observed): Judgement {
  const range = parseRange(reference_range, unit);
  const value = parseValue(result);
  const place = range && value && placeInRange(value, range);
  const { min = null, max = null } = range ?? {};
  return {
    interpretation: interpretFlags(flags) ?? byRange() ?? (final ? 'normal' : 'unknown'),
    min_range_value: min,
    max_range_value: max,
    is_above_max_range: place && max !== null ? place === 'above' : null,
    is_below_min_range: place && min !== null ? place === 'below' : null,
  };

  function byRange(): Interpretation | null {
    if (place) return place === 'inside' ? 'normal' : 'abnormal';
    return reference_range?.trim() ? compareWords(result, reference_range) : null;
  }
}

/** Pairs that mean there is nothing, and that there is something. */
const FINDINGS: [none: RegExp, some: RegExp][] = [
  [/^non[ -]?reactive$/, /^reactive$/],
  [/^(?:not|none) detected$/, /^detected$/],
  [/^negative$/, /^positive$/],
  [/^absent$/, /^present$/],
];

/** A range in words, such as `Non Reactive`, against a result in words. */
function compareWords(result: string, range: string): Interpretation {
  const [found, expected] = [result, range].map((text) => text.trim().toLowerCase()) as [string, string];
  if (found === expected) return 'normal';
  for (const [none, some] of FINDINGS) {
    if (!none.test(expected)) continue;
    if (none.test(found)) return 'normal';
    if (some.test(found)) return 'abnormal';
  }
  return 'unknown';
}
