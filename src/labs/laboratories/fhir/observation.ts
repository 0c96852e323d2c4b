import type { CodeableConcept, Observation, Quantity } from 'fhir/r4.js';
import type { Static } from 'typebox';
import type { FoundResults } from '../../results/found-results.ts';
import type { BiomarkerResult } from '../../results/schemas.ts';
import { organizationIdOf } from './people.ts';
import { codingOf } from './code-systems.ts';
import { idOf, referTo } from './references.ts';
import { ownProperty } from '../../../wire/own-property.ts';

type Result = Static<typeof BiomarkerResult>;
type Missing = NonNullable<FoundResults['missing_results']>[number];
/** The values that are the same in all observations of a report. */
type ObservationContext = { orderId: string; userId: string; specimen: string | null; effective: string | null };

const UCUM = 'http://unitsofmeasure.org';
const ABSENT_SYSTEM = 'http://terminology.hl7.org/CodeSystem/data-absent-reason';
const FLAGS_SYSTEM = 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation';
/** Flags of a result in HL7 table 0078, such as `H` for high, that have the same code in FHIR. */
const FLAGS: ReadonlySet<string> = new Set([
  'N',
  'A',
  'AA',
  'H',
  'HH',
  'L',
  'LL',
  '<',
  '>',
  'POS',
  'NEG',
  'ND',
  'DET',
  'IND',
  'S',
  'R',
  'I',
  'U',
  'D',
  'B',
  'W',
]);
/** The flag for each of our own interpretations. We use it if no flag of the laboratory has a code in FHIR. */
const FLAG_OF: Readonly<Record<string, string>> = { normal: 'N', abnormal: 'A', critical: 'AA' };

const STATUSES = { partial: 'preliminary', final: 'final', corrected: 'corrected' } as const;
const COMPARED = /^(<=|>=|<|>)\s*(\d+(?:\.\d+)?)$/;

/**
 * Writes a result as a FHIR Observation. If the result is not a number, the Observation contains the laboratory's text.
 */
export function observationOf(result: Result, of: ObservationContext, position: number): Observation {
  const range = rangeOf(result);
  const interpretation = interpretationOf(result);
  return {
    ...commonOf(result, of, position),
    status: STATUSES[result.status],
    ...valueOf(result),
    ...(result.timestamp !== null && { issued: result.timestamp }),
    ...(interpretation && { interpretation }),
    ...(range && { referenceRange: [range] }),
    ...notesOf(result.notes, result.previous_result),
    ...(result.performing_laboratory !== null && {
      performer: [referTo(organizationIdOf(of.orderId, result.performing_laboratory))],
    }),
  };
}

/**
 * Writes a missing result as a FHIR Observation with the reason: the laboratory could not obtain the result, withdrew
 * it, or waits for information about the sample.
 */
export const missingObservationOf = (missing: Missing, of: ObservationContext, position: number): Observation => ({
  ...commonOf(missing, of, position),
  status: missing.is_withdrawn ? 'entered-in-error' : missing.is_held ? 'registered' : 'cancelled',
  dataAbsentReason: {
    coding: [{ system: ABSENT_SYSTEM, code: missing.is_held ? 'temp-unknown' : 'not-performed' }],
    text: missing.inferred_failure_type,
  },
  ...notesOf(missing.note, null),
});

function commonOf(
  { name, slug, loinc }: Pick<Result, 'name' | 'slug' | 'loinc'>,
  { orderId, userId, specimen, effective }: ObservationContext,
  position: number,
) {
  return {
    resourceType: 'Observation',
    // The position makes the id unique, because two results may have the same name.
    id: idOf(orderId, 'observation', slug, String(position)),
    category: [
      { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' }] },
    ],
    code: { text: name, ...(loinc !== null && { coding: [{ system: 'http://loinc.org', code: loinc }] }) },
    basedOn: [referTo(orderId)],
    subject: referTo(userId),
    ...(specimen !== null && { specimen: referTo(specimen) }),
    ...(effective !== null && { effectiveDateTime: effective }),
  } satisfies Omit<Observation, 'status'>;
}

const unitOf = (unit: string | null): Pick<Quantity, 'unit' | 'system' | 'code'> =>
  unit === null ? {} : { unit, system: UCUM, code: unit };

function valueOf({
  type,
  result,
  value,
  unit,
  result_codes,
}: Result): Pick<Observation, 'valueQuantity' | 'valueString' | 'valueCodeableConcept' | 'dataAbsentReason'> {
  if (result.trim() === '') return { dataAbsentReason: { coding: [{ system: ABSENT_SYSTEM, code: 'unknown' }] } };
  const [, comparator, bound] = COMPARED.exec(result) ?? [];
  if (bound !== undefined) {
    return {
      valueQuantity: {
        value: Number(bound),
        comparator: comparator as NonNullable<Quantity['comparator']>,
        ...unitOf(unit),
      },
    };
  }
  if (type === 'numeric' && value !== null) return { valueQuantity: { value, ...unitOf(unit) } };
  if (type !== 'coded_value') return { valueString: result };
  const coding = (result_codes ?? []).map(codingOf);
  return { valueCodeableConcept: { ...(coding.length > 0 && { coding }), text: result } };
}

function interpretationOf({ source_interpretation, interpretation }: Result): CodeableConcept[] | null {
  const sent = source_interpretation.split('~').filter((flag) => FLAGS.has(flag));
  const own = ownProperty(FLAG_OF, interpretation);
  const flags = sent.length > 0 || own === undefined ? sent : [own];
  return flags.length === 0 ? null : flags.map((code) => ({ coding: [{ system: FLAGS_SYSTEM, code }] }));
}

function rangeOf({ reference_range: text, min_range_value: low, max_range_value: high, unit }: Result) {
  if (text === null && low === null && high === null) return null;
  return {
    ...(low !== null && { low: { value: low, ...unitOf(unit) } }),
    ...(high !== null && { high: { value: high, ...unitOf(unit) } }),
    ...(text !== null && { text }),
  };
}

function notesOf(...[notes, previous]: [string | null, string | null]): Pick<Observation, 'note'> {
  const note = [
    ...(notes ? [{ text: notes }] : []),
    ...(previous ? [{ text: `Corrected. Reported before: ${previous}` }] : []),
  ];
  return note.length > 0 ? { note } : {};
}
