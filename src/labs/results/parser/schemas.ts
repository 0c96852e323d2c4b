import { Type } from 'typebox';
import { Cursor, nullable, oneOf, optional, Text, Timestamp, Uuid, withDefault } from '../../../wire/schema.ts';
import { BirthDate } from '../../../wire/person.ts';
import { INTERPRETATIONS, SourceMarker } from '../schemas.ts';
import { shape } from '../../../wire/shape.ts';
import { RANGE_AGREES } from './corrected-range.ts';
import { MAX_UNREAD_LINES } from './parse/read-report.ts';

const STATUSES = ['upload_pending', 'started', 'completed', 'failed'] as const;
export const FAILURE_REASONS = [
  'invalid_input',
  'low_quality',
  'not_english',
  'too_many_pages',
  'processing_error',
] as const;
const SAMPLE_TYPES = ['urine', 'serum_plasma_blood', 'capillary_blood', 'stool', 'saliva', 'other', 'unknown'] as const;
const REPORT_RESULT_TYPES = ['numeric', 'range', 'comment', 'boolean', 'duration', 'percentage', 'ratio'] as const;

/**
 * The maximum number of results in the data of a job, more than any report has. An event contains all results of its
 * job, so their number must be limited.
 */
export const MAX_RESULTS = 200;

const text = (most: number, description: string) => Type.String({ maxLength: most, description });

export const LoincMatch = shape('LoincMatch', {
  loinc_code: text(20, 'LOINC code.'),
  loinc_name: text(255, "LOINC's long common name."),
  display_name: text(255, 'The name in the catalogue.'),
  aliases: Type.Array(text(100, 'Another name.'), {
    maxItems: 20,
    description: 'Other names that reports use for it.',
  }),
  confidence_score: Type.Number({ minimum: 0, maximum: 1, description: 'How sure the match is, from 0 to 1.' }),
});

export const LabReportResult = shape('LabReportResult', {
  test_name: text(200, 'The name in the report.'),
  value: text(200, 'The value in the report.'),
  sample_type: oneOf(SAMPLE_TYPES, { description: 'What the sample was.' }),
  measurement_kind: oneOf(['direct', 'calculated', 'ratio', 'unknown'], { description: 'How it was measured.' }),
  type: nullable(oneOf(REPORT_RESULT_TYPES, { description: 'What kind of value it is.' })),
  units: nullable(text(40, 'The unit in the report.')),
  max_reference_range: nullable(Type.Number({ description: 'Upper end of the reference range.' })),
  min_reference_range: nullable(Type.Number({ description: 'Lower end of the reference range.' })),
  source_panel_name: nullable(text(200, 'The heading of the result in the report.')),
  sensitivity: oneOf(['sensitive', 'insensitive', 'unknown'], {
    description: 'Whether the result is a sensitive one.',
  }),
  loinc_matches: nullable(
    Type.Array(LoincMatch, {
      maxItems: 5,
      description: 'Possible matches, the likeliest first; null if nothing matches.',
    }),
  ),
  loinc_match_status: nullable(
    oneOf(['auto_match', 'needs_review', 'no_match'], {
      description: 'Whether the match may be used without a review.',
    }),
  ),
  interpretation: nullable(oneOf(INTERPRETATIONS)),
  is_above_max_range: nullable(Type.Boolean()),
  is_below_min_range: nullable(Type.Boolean()),
  source_markers: nullable(
    Type.Array(SourceMarker, { maxItems: 10, description: 'Markers of the catalogue that have this result.' }),
  ),
});

const known = (most: number, description: string) => nullable(text(most, description));

const LabReportMetadata = Type.Object({
  patient_first_name: known(100, 'First name of the patient in the report.'),
  patient_last_name: known(100, 'Last name of the patient.'),
  dob: known(10, "The patient's date of birth."),
  gender: oneOf(['male', 'female', 'other'], { description: 'other also if the report does not say.' }),
  lab_name: known(200, 'Name of the laboratory.'),
  date_reported: known(10, 'When the laboratory reported.'),
  date_collected: known(10, 'When the sample was taken.'),
  specimen_number: known(100, "The laboratory's number of the specimen."),
});

export const ParsedLabReportData = shape('ParsedLabReportData', {
  metadata: LabReportMetadata,
  results: Type.Array(LabReportResult, {
    maxItems: MAX_RESULTS,
    description: 'The results that we read, in the order of the report.',
  }),
});

const job = {
  id: Uuid,
  job_id: Type.String({ format: 'uuid', description: 'The same as id.' }),
  status: oneOf(STATUSES, { description: 'started until it is completed or failed.' }),
  failure_reason: nullable(oneOf(FAILURE_REASONS, { description: 'Why the job failed; null if it did not fail.' })),
  data: nullable(
    Type.Object(ParsedLabReportData.properties, {
      description: 'The data that we read; null if we could read nothing.',
    }),
  ),
  needs_human_review: Type.Boolean({
    description:
      'Whether a person must review the report, because you requested it or because not everything could be ' +
      'read and matched.',
  }),
  is_reviewed: Type.Boolean({ description: 'Whether a person has reviewed the report.' }),
};

/** A parsing job in the form in which events show it. */
export const ParsingJob = shape('ParsingJob', job);

const ParsingJobFile = Type.Object({
  content_type: Type.String({ description: 'The type of the file, by its first bytes.' }),
  bytes: Type.Integer({ description: 'Size of the file.' }),
  url: Type.String({ description: 'A link to the file, valid for 15 minutes, without a key.' }),
});

/** A parsing job in the form in which responses show it. */
export const ParsingJobWithFiles = shape('ParsingJobWithFiles', {
  ...job,
  files: Type.Array(ParsingJobFile, { description: 'The files that were sent, in their order.' }),
});

/** A parsing job in the form in which the person sees it who reviews it. */
export const LabReportToReview = shape('LabReportToReview', {
  ...ParsingJobWithFiles.properties,
  user_id: Uuid,
  names_other_patient: Type.Boolean({
    description: 'Whether the data name another patient than the user, by name or date of birth.',
  }),
  read_patient: nullable(
    Type.Object(
      {
        first_name: known(100, 'First name of the patient.'),
        last_name: known(100, 'Last name of the patient.'),
        dob: known(10, "The patient's date of birth."),
      },
      { description: 'The patient as Phial read it, before any correction; null if the report was read before 0.2.' },
    ),
  ),
  unread_lines: Type.Array(text(200, 'A line of the report.'), {
    maxItems: MAX_UNREAD_LINES,
    description: 'Lines of its tables that Phial could not read as results. A correction does not change them.',
  }),
});

export const AcceptLabReportQuery = Type.Object({
  confirm_patient: withDefault(
    Type.Boolean({ description: 'Confirms that the report is of the user, although it names another patient.' }),
    false,
  ),
});

/** No sample is older than a person can be, and none is of the future. */
const DateOfReport = BirthDate;

const RangeEnd = (description: string) =>
  Type.Optional(nullable(Type.Number({ minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE, description })));

/** A result as a person read it. */
const CorrectedResult = Type.Object(
  {
    test_name: Text(200, { description: 'The name in the report. It finds the LOINC code.' }),
    value: Text(200, { description: 'The value in the report.' }),
    units: optional(Text(40, { description: 'The unit in the report.' })),
    reference_range: optional(Text(100, { description: 'As printed, such as 70-99 or <5.7.' })),
    min_reference_range: RangeEnd('Lower end of the range, in place of `reference_range`.'),
    max_reference_range: RangeEnd('Upper end of the range, in place of `reference_range`.'),
    flag: optional(Text(20, { description: 'As printed, such as H.' })),
    source_panel_name: optional(Text(200, { description: 'The heading of the result in the report.' })),
  },
  { fulfils: RANGE_AGREES },
);

/** A lab report as a person read it. What is left out is not in the report. */
export const CorrectedReport = shape('CorrectedReport', {
  metadata: Type.Object(
    {
      patient_first_name: optional(Text(100, { description: 'First name of the patient in the report.' })),
      patient_last_name: optional(Text(100, { description: 'Last name of the patient.' })),
      dob: optional(BirthDate),
      gender: optional(oneOf(['male', 'female', 'other'], { description: 'other if the report does not say.' })),
      lab_name: optional(Text(200, { description: 'Name of the laboratory.' })),
      date_reported: optional(DateOfReport),
      date_collected: optional(DateOfReport),
      specimen_number: optional(Text(100)),
    },
    { ascending: ['date_collected', 'date_reported'] },
  ),
  results: Type.Array(CorrectedResult, {
    minItems: 1,
    maxItems: MAX_RESULTS,
    description: 'All results, in the order of the report.',
  }),
});

export const ParserJobFields = shape('ParserJobFields', {
  user_id: Uuid,
  needs_human_review: withDefault(
    Type.Boolean({ description: 'Request a review by a person, whatever can be read.' }),
    false,
  ),
});

export const LabReportReviewQuery = Type.Object({
  status: withDefault(
    oneOf(['to_review', 'accepted', 'all'], {
      description: 'Reports that wait for a review, those that were accepted, or both.',
    }),
    'to_review',
  ),
  next_cursor: Type.Optional(Cursor()),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 50),
});

/** A lab report that a person has to review, or has reviewed. It has ids and no data of the report. */
const LabReportReview = shape('LabReportReview', {
  job_id: Type.String({ format: 'uuid', description: 'Id of the parsing job.' }),
  user_id: Uuid,
  files: Type.Integer({ description: 'Number of files of the report.' }),
  created_at: Timestamp,
  is_reviewed: Type.Boolean({ description: 'Whether a person has reviewed the report.' }),
});

export const LabReportReviewPage = shape('LabReportReviewPage', {
  data: Type.Array(LabReportReview),
  next_cursor: nullable(Type.String()),
});
