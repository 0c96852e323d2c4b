import type { Analyte } from '../../catalogue/analytes.ts';
import { failureTypeOf } from './failure-type.ts';
import { interpret } from '../interpretation/interpret.ts';
import { readValue } from '../interpretation/read-value.ts';
import { ucumOf } from '../interpretation/units.ts';
import type { KeptMissing, KeptResult } from '../kept-report.ts';
import type { LabReport, Observation } from '../report.ts';

/** The analyte of the order that an observation is of; null for what was reported without being asked for. */
export function analyteOf(observation: Observation, analytes: Analyte[]): Analyte | null {
  const { analyte_slug, loinc, code } = observation;
  return (
    analytes.find(({ slug }) => slug === analyte_slug) ??
    (loinc === null ? undefined : analytes.find(({ loinc_code }) => loinc_code === loinc)) ??
    // A code of a marker names its analyte only where the marker has no other.
    onlyOne(analytes.filter(({ marker_provider_id }) => code !== null && marker_provider_id === code)) ??
    null
  );
}

const onlyOne = <T>(found: T[]): T | undefined => (found.length === 1 ? found[0] : undefined);

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 100);

/** What an entry is known by in every version of an order's report. */
export function keyOf({ analyte_slug, code, loinc, name, sub_id }: Observation, analyte: Analyte | null): string {
  const what = analyte?.slug ?? analyte_slug ?? code ?? loinc ?? slugOf(name);
  return sub_id === null ? what : `${what}#${sub_id}`;
}

type Named = Pick<KeptMissing, 'key' | 'name' | 'slug' | 'loinc' | 'loinc_slug' | 'provider_id' | 'source_markers'>;

/** What an entry is called, by its analyte where it has one. */
export function named(observation: Observation, analyte: Analyte | null): Named {
  const loinc = observation.loinc ?? analyte?.loinc_code ?? null;
  return {
    key: keyOf(observation, analyte),
    name: analyte?.name ?? observation.name,
    slug: analyte?.slug ?? observation.analyte_slug ?? slugOf(observation.name),
    loinc,
    loinc_slug: loinc === null ? null : (analyte?.slug ?? slugOf(observation.name)),
    provider_id: analyte?.marker_provider_id ?? observation.code,
    source_markers: analyte && [sourceMarkerOf(analyte)],
  };
}

export const sourceMarkerOf = (analyte: Analyte): NonNullable<Named['source_markers']>[number] => ({
  marker_id: analyte.marker_id,
  name: analyte.marker_name,
  slug: analyte.marker_slug,
  provider_id: analyte.marker_provider_id,
});

/**
 * When a value was reported, and when the message was written that says so. What corrects, cancels or withdraws is new with its
 * message: it needs no time of its own.
 */
export function asOf(report: LabReport, { reported_at, status }: Observation): NonNullable<KeptResult['as_of']> {
  const isUndated = report.undated === true && status === 'final' && report.status !== 'corrected';
  return {
    reported_at: (reported_at ?? report.reported_at).timestamp,
    sent_at: report.message_at?.timestamp ?? null,
    ...(isUndated ? { undated: true } : {}),
  };
}

/** A value of a report as it is kept: read by its type, in UCUM, and interpreted. */
export function readResult(
  report: LabReport,
  observation: Observation & { status: KeptResult['status'] },
  analyte: Analyte | null,
): KeptResult {
  const unit = ucumOf(observation.unit);
  const { type, result, value } = readValue(observation.kind, observation.text, observation.unit);
  const repeated = type === 'range' || type === 'comment' ? result : null;
  const { performing_laboratory, reference_range, flags, status } = observation;
  const as_of = asOf(report, observation);
  return {
    ...named(observation, analyte),
    value,
    result,
    type,
    result_type: type,
    unit,
    timestamp: as_of.reported_at,
    as_of,
    notes: [repeated, observation.notes].filter((note) => note !== null).join('\n') || null,
    reference_range,
    ...interpret({
      result,
      unit: observation.unit,
      reference_range,
      flags,
      final: status !== 'partial',
      words: analyte && { normal: analyte.normal_words, abnormal: analyte.abnormal_words },
    }),
    source_interpretation: flags.join('~'),
    performing_laboratory:
      performing_laboratory === null
        ? report.laboratory.name
        : (report.performing_laboratories[performing_laboratory]?.name ?? performing_laboratory),
    source_sample_id: observation.sample_id,
    status,
    previous_result: null,
    history: [],
    result_codes: observation.coded && observation.coded.length > 0 ? observation.coded : null,
  };
}

/** A value that will not come, with the reason as far as it was said. */
export function readMissing(report: LabReport, observation: Observation, analyte: Analyte | null): KeptMissing {
  const { text, notes, failure } = observation;
  const as_of = asOf(report, observation);
  return {
    ...named(observation, analyte),
    inferred_failure_type: failure ?? failureTypeOf(text, notes),
    note: [text, notes].filter((note) => note !== null && note !== '').join('\n') || null,
    reported_at: as_of.reported_at,
    as_of,
    history: [],
  };
}
