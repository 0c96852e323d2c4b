import type { Analyte } from '../../catalogue/analytes.ts';
import { failureTypeOf } from './failure-type.ts';
import { interpret } from '../interpretation/interpret.ts';
import { readValue } from '../interpretation/read-value.ts';
import { ucumOf } from '../interpretation/ucum-units.ts';
import type { StoredMissingResult, StoredResult } from '../stored-report.ts';
import type { LabReport, Observation } from '../lab-report.ts';

/** Returns the analyte of the order that an observation measures. Returns null if the order does not contain it. */
export function analyteOf(observation: Observation, analytes: Analyte[]): Analyte | null {
  const { analyte_slug, loinc, code } = observation;
  return (
    analytes.find(({ slug }) => slug === analyte_slug) ??
    (loinc === null ? undefined : analytes.find(({ loinc_code }) => loinc_code === loinc)) ??
    // The laboratory's code of a marker identifies an analyte only if the marker has no other analyte.
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

/** Returns the key of an entry. It is the same in every version of an order's report. */
export function keyOf({ analyte_slug, code, loinc, name, sub_id }: Observation, analyte: Analyte | null): string {
  const what = analyte?.slug ?? analyte_slug ?? code ?? loinc ?? slugOf(name);
  return sub_id === null ? what : `${what}#${sub_id}`;
}

type EntryName = Pick<
  StoredMissingResult,
  'key' | 'name' | 'slug' | 'loinc' | 'loinc_slug' | 'provider_id' | 'source_markers'
>;

/** Returns the names and codes of an entry. They come from the analyte if the entry has one. */
export function named(observation: Observation, analyte: Analyte | null): EntryName {
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

export const sourceMarkerOf = (analyte: Analyte): NonNullable<EntryName['source_markers']>[number] => ({
  marker_id: analyte.marker_id,
  name: analyte.marker_name,
  slug: analyte.marker_slug,
  provider_id: analyte.marker_provider_id,
});

/**
 * Returns the time of a value's report and the time of the laboratory's message. A value without a time of its own is
 * `undated`. But if the message corrects, cancels or withdraws the value, we take the time of the message as the time
 * of the value.
 */
export function asOf(report: LabReport, { reported_at, status }: Observation): NonNullable<StoredResult['as_of']> {
  const isUndated = report.undated === true && status === 'final' && report.status !== 'corrected';
  return {
    reported_at: (reported_at ?? report.reported_at).timestamp,
    sent_at: report.message_at?.timestamp ?? null,
    ...(isUndated ? { undated: true } : {}),
  };
}

/**
 * Returns a value of a report in the form in which we store it. The function reads the value by its type, changes the
 * unit to UCUM, and interprets the value.
 */
export function readResult(
  report: LabReport,
  observation: Observation & { status: StoredResult['status'] },
  analyte: Analyte | null,
): StoredResult {
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

/** Returns the entry for a value that will not come, with the reason if the laboratory stated it. */
export function missingEntryOf(
  report: LabReport,
  observation: Observation,
  analyte: Analyte | null,
): StoredMissingResult {
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
