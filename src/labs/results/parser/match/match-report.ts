import type { Static } from 'typebox';
import type { TeamCtx } from '../../../../context.ts';
import { interpret } from '../../interpretation/interpret.ts';
import { parseValue } from '../../interpretation/parse-range.ts';
import { patientOf } from './patient-of.ts';
import type { Outcome } from '../finish-job.ts';
import { openMatcher, type Match } from './match-loinc.ts';
import { MAX_UNREAD_LINES, type ReadHeader, type ReadReport, type ReadRow } from '../parse/read-report.ts';
import { MAX_RESULTS, type LabReportResult } from '../schemas.ts';
import { ownProperty } from '../../../../wire/own-property.ts';

/**
 * Returns the data of a parsing job, from the reports that we read in its files. A person must review the data in these
 * cases: we could not read a file or a line, we are not sure which analyte a name means, or the report may belong to
 * another person than the user.
 */
export async function matchReport(
  ctx: TeamCtx,
  userId: string,
  reports: ReadReport[],
  isWhole: boolean,
): Promise<Outcome> {
  const rows = reports.flatMap((report) => report.rows);
  const header = joined(reports.map((report) => report.header));
  const unread_lines = reports.flatMap((report) => report.unread_lines).slice(0, MAX_UNREAD_LINES);
  const { patient_first_name: first_name, patient_last_name: last_name, dob } = header;
  const asRead = { patient: { first_name, last_name, dob }, unread_lines };
  if (rows.length === 0) return { data: null, needsReview: true, asRead };
  const match = await openMatcher(ctx);
  const results = rows.slice(0, MAX_RESULTS).map((row) => resultOf(row, match(row.name, row.unit)));
  const isSure =
    isWhole &&
    rows.length <= MAX_RESULTS &&
    reports.every(({ unread }) => unread === 0) &&
    results.every(({ loinc_match_status }) => loinc_match_status === 'auto_match') &&
    (await patientOf(ctx, userId, header)) === 'user';
  return { data: { metadata: { ...header, gender: header.gender ?? 'other' }, results }, needsReview: !isSure, asRead };
}

/** Flags that reports print, with the flags of HL7 table 0078 that have the same meaning. */
const FLAGS: Record<string, string> = { HIGH: 'H', LOW: 'L', '*': 'A', ABNORMAL: 'A', CRITICAL: 'AA' };

function resultOf(row: ReadRow, found: Match | null): Static<typeof LabReportResult> {
  const flag = row.flag?.trim().toUpperCase() ?? null;
  const judged = interpret({
    result: row.value,
    unit: row.unit,
    reference_range: row.range,
    flags: flag === null ? [] : [ownProperty(FLAGS, flag) ?? flag],
    // `interpret` takes a final number without flag and range as normal, because laboratories flag abnormal values. A
    // printed report may lack both although the value is abnormal. So we do not call the number final.
    final: false,
  });
  const common = found?.candidate.common ?? null;
  return {
    test_name: row.name,
    value: row.value,
    sample_type: common ? 'serum_plasma_blood' : 'unknown',
    measurement_kind: common?.kind ?? 'unknown',
    type: typeOf(row),
    units: row.unit?.slice(0, 40) ?? null,
    max_reference_range: judged.max_range_value,
    min_reference_range: judged.min_range_value,
    source_panel_name: row.panel,
    sensitivity: 'unknown',
    loinc_matches: found && [found.match],
    loinc_match_status: found?.status ?? 'no_match',
    interpretation: judged.interpretation,
    is_above_max_range: judged.is_above_max_range,
    is_below_min_range: judged.is_below_min_range,
    source_markers: found && found.candidate.markers.length > 0 ? found.candidate.markers : null,
  };
}

function typeOf({ value, unit }: ReadRow): Static<typeof LabReportResult>['type'] {
  if (/^1\s*:/.test(value)) return 'ratio';
  if (parseValue(value) === null) {
    return /^(not |none |non|negative|positive|detected|reactive|absent|present)/i.test(value) ? 'boolean' : 'comment';
  }
  if (/^[<>≤≥]/.test(value)) return 'range';
  return unit === '%' ? 'percentage' : 'numeric';
}

/** Returns for each fact, such as the patient's name, the first value in all files. */
function joined(headers: ReadHeader[]): ReadHeader {
  const first = <K extends keyof ReadHeader>(key: K): ReadHeader[K] =>
    headers.find((header) => header[key] !== null)?.[key] ?? (null as ReadHeader[K]);
  return {
    patient_first_name: first('patient_first_name'),
    patient_last_name: first('patient_last_name'),
    dob: first('dob'),
    gender: first('gender'),
    lab_name: first('lab_name'),
    date_reported: first('date_reported'),
    date_collected: first('date_collected'),
    specimen_number: first('specimen_number'),
  };
}
