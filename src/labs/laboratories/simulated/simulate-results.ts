import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { Analyte } from '../../catalogue/analytes.ts';
import type { Interpretation } from '../../results/interpretation/interpret.ts';
import { parseRange } from '../../results/interpretation/parse-range.ts';
import type { RESULT_TYPES } from '../../results/schemas.ts';
import { withComputed } from './computed-results.ts';
import type { SimulationFlags } from './schemas.ts';
import { FLAGS, type Value } from './value.ts';

type ResultType = (typeof RESULT_TYPES)[number];
type Bounds = { min: number | null; max: number | null };
type Context = {
  seed: string;
  gender: string;
  /** The patient's age in full years when the sample was taken. */
  age: number;
  /** How often the report was corrected. Each correction changes the text of values that are words. */
  correction: number;
};

/**
 * Makes a value for each analyte. The same seed always gives the same values. One value has the requested
 * interpretation.
 */
export function simulateResults(analytes: Analyte[], flags: Static<typeof SimulationFlags>, context: Context): Value[] {
  const asked = flags.interpretation ?? 'normal';
  const worst = asked === 'normal' ? null : worstAnalyte(analytes, asked);
  const results = analytes.map((analyte, position) => {
    const interpretation = analyte === worst ? asked : 'normal';
    const type = flags.result_types?.[position % flags.result_types.length] ?? (analyte.result_type as ResultType);
    return simulateResult(analyte, type, interpretation, context);
  });
  return flags.result_types ? results : withComputed(results, worst?.slug ?? null);
}

/**
 * Returns the analyte that gets the requested interpretation. For a critical result, the function prefers an analyte
 * with critical limits.
 */
function worstAnalyte(analytes: Analyte[], asked: Interpretation): Analyte | undefined {
  const withLimits =
    asked === 'critical'
      ? analytes.find((analyte) => analyte.critical_high !== null || analyte.critical_low !== null)
      : analytes.find((analyte) => analyte.result_type === 'numeric' && analyte.range_female !== null);
  return withLimits ?? analytes[0];
}

function simulateResult(analyte: Analyte, type: ResultType, interpretation: Interpretation, context: Context): Value {
  const range = context.gender === 'female' ? analyte.range_female : analyte.range_male;
  const bounds = parseRange(range) ?? { min: null, max: null };
  const number = round(
    numberFor(analyte, bounds, interpretation, fraction(`${context.seed} ${analyte.id}`)),
    analyte.decimals,
  );
  return {
    analyte_slug: analyte.slug,
    loinc: analyte.loinc_code,
    code: analyte.marker_provider_id,
    name: analyte.name,
    kind: type,
    text: textFor({ type, analyte, number, bounds, interpretation, correction: context.correction }),
    unit: type === 'numeric' || type === 'range' ? analyte.unit : null,
    reference_range: type === 'coded_value' ? analyte.normal_text : range,
    flags: [FLAGS[interpretation]],
  };
}

function numberFor(analyte: Analyte, { min, max }: Bounds, interpretation: Interpretation, share: number): number {
  const { critical_high: high, critical_low: low } = analyte;
  if (interpretation === 'critical' && high !== null) return high * (1.02 + share * 0.1);
  if (interpretation === 'critical' && low !== null) return low * (0.8 + share * 0.18);
  if (interpretation === 'critical' && max !== null) return max * (2 + share * 0.5);
  const outside = interpretation === 'abnormal' || interpretation === 'critical';
  if (outside && max !== null)
    return high === null ? max * (1.1 + share * 0.3) : max + (high - max) * (0.3 + share * 0.4);
  if (outside && min !== null)
    return low === null ? min * (0.6 + share * 0.3) : low + (min - low) * (0.3 + share * 0.4);
  const from = min ?? (max === null ? 1 : max * 0.75);
  const to = max ?? (min === null ? 10 : min * 1.6);
  return from + (to - from) * (0.2 + share * 0.6);
}

type SimulatedValue = {
  type: ResultType;
  analyte: Analyte;
  number: number;
  bounds: Bounds;
  interpretation: Interpretation;
  correction: number;
};

function textFor({ type, analyte, number, bounds: { min, max }, interpretation, correction }: SimulatedValue): string {
  const bad = interpretation === 'abnormal' || interpretation === 'critical';
  switch (type) {
    case 'numeric':
      return number.toFixed(analyte.decimals);
    case 'range': {
      const above = bad ? min === null || number >= min : max === null;
      return `${above ? '>' : '<'}${number.toFixed(analyte.decimals)}`;
    }
    case 'comment':
      return amended(
        bad ? 'Outside of the reference range. Please review.' : 'Within the reference range.',
        correction,
      );
    case 'coded_value':
      return amended(
        (bad ? analyte.abnormal_text : analyte.normal_text) ?? (bad ? 'Detected' : 'Not detected'),
        correction,
      );
  }
}

/** Appends "(amended)" to a value that is words, so that a corrected report differs from the one before. */
const amended = (text: string, correction: number): string =>
  correction === 0 ? text : `${text} (amended${correction > 1 ? ` ${correction}` : ''})`;

/** Returns a number from 0 to 1 that depends only on the seed. */
const fraction = (seed: string): number => createHash('sha256').update(seed).digest().readUInt32BE(0) / 0xffff_ffff;

const round = (value: number, decimals: number): number => Number(value.toFixed(decimals));
