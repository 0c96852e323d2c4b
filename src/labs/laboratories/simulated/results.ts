import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { Analyte } from '../../catalogue/analytes.ts';
import { boundsOf, type Bounds, type Interpretation } from '../../results/interpretation.ts';
import type { BiomarkerResult, RESULT_TYPES } from '../../results/schemas.ts';
import { withComputed } from './computed-results.ts';
import type { SimulationFlags } from './schemas.ts';

type Result = Static<typeof BiomarkerResult>;
type ResultType = (typeof RESULT_TYPES)[number];
type Context = {
  seed: string;
  gender: string;
  /** Full years of the patient when the sample was taken. */
  age: number;
  reported_at: string;
  lab_name: string;
  sample_id: string | null;
};

/** Flags of HL7 table 0078 as a laboratory would send them. */
const FLAGS: Record<Interpretation, string> = { normal: 'N', abnormal: 'A', critical: 'AA', unknown: '' };

/** A result for each analyte, the same whenever they are made for the same seed; one of them is as bad as was asked for. */
export function simulateResults(
  analytes: Analyte[],
  flags: Static<typeof SimulationFlags>,
  context: Context,
): Result[] {
  const asked = flags.interpretation ?? 'normal';
  const worst = asked === 'normal' ? null : worstAnalyte(analytes, asked);
  const results = analytes.map((analyte, position) => {
    const interpretation = analyte === worst ? asked : 'normal';
    const type = flags.result_types?.[position % flags.result_types.length] ?? (analyte.result_type as ResultType);
    return simulateResult(analyte, type, interpretation, context);
  });
  return flags.result_types ? results : withComputed(results, worst?.slug ?? null);
}

/** Critical results come from an analyte that has critical limits, if there is one. */
function worstAnalyte(analytes: Analyte[], asked: Interpretation): Analyte | undefined {
  const withLimits =
    asked === 'critical'
      ? analytes.find((analyte) => analyte.critical_high !== null || analyte.critical_low !== null)
      : analytes.find((analyte) => analyte.result_type === 'numeric' && analyte.range_female !== null);
  return withLimits ?? analytes[0];
}

function simulateResult(analyte: Analyte, type: ResultType, interpretation: Interpretation, context: Context): Result {
  const range = context.gender === 'female' ? analyte.range_female : analyte.range_male;
  const bounds = boundsOf(range);
  const number = round(
    numberFor(analyte, bounds, interpretation, fraction(`${context.seed} ${analyte.id}`)),
    analyte.decimals,
  );
  const result = textFor({ type, analyte, number, bounds, interpretation });
  const numeric = type === 'numeric';
  return {
    name: analyte.name,
    slug: analyte.slug,
    value: numeric ? number : -1,
    result,
    type,
    result_type: type,
    unit: type === 'numeric' || type === 'range' ? analyte.unit : null,
    timestamp: context.reported_at,
    notes: type === 'range' || type === 'comment' ? result : null,
    reference_range: type === 'coded_value' ? analyte.normal_text : range,
    min_range_value: bounds.min,
    max_range_value: bounds.max,
    is_above_max_range: numeric && bounds.max !== null ? number > bounds.max : null,
    is_below_min_range: numeric && bounds.min !== null ? number < bounds.min : null,
    interpretation,
    source_interpretation: FLAGS[interpretation],
    loinc: analyte.loinc_code,
    loinc_slug: analyte.loinc_code === null ? null : analyte.slug,
    provider_id: analyte.marker_provider_id,
    source_markers: [sourceMarkerOf(analyte)],
    performing_laboratory: context.lab_name,
    source_sample_id: context.sample_id,
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

type Found = { type: ResultType; analyte: Analyte; number: number; bounds: Bounds; interpretation: Interpretation };

function textFor({ type, analyte, number, bounds: { min, max }, interpretation }: Found): string {
  const bad = interpretation === 'abnormal' || interpretation === 'critical';
  switch (type) {
    case 'numeric':
      return number.toFixed(analyte.decimals);
    case 'range': {
      const above = bad ? min === null || number >= min : max === null;
      return `${above ? '>' : '<'}${number.toFixed(analyte.decimals)}`;
    }
    case 'comment':
      return bad ? 'Outside of the reference range. Please review.' : 'Within the reference range.';
    case 'coded_value':
      return (bad ? analyte.abnormal_text : analyte.normal_text) ?? (bad ? 'Detected' : 'Not detected');
  }
}

/** The ordered marker that brings the analyte. */
export const sourceMarkerOf = (
  analyte: Analyte,
): { marker_id: number; name: string; slug: string; provider_id: string } => ({
  marker_id: analyte.marker_id,
  name: analyte.marker_name,
  slug: analyte.marker_slug,
  provider_id: analyte.marker_provider_id,
});

/** A number from 0 to 1 that only the seed decides. */
const fraction = (seed: string): number => createHash('sha256').update(seed).digest().readUInt32BE(0) / 0xffff_ffff;

const round = (value: number, decimals: number): number => Number(value.toFixed(decimals));
