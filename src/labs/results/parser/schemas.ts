import { Type } from 'typebox';
import { nullable, oneOf, Uuid, withDefault } from '../../../wire/schema.ts';
import { INTERPRETATIONS, SourceMarker } from '../schemas.ts';

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

/** More rows than any report has; a job's event has to hold them. */
export const MOST_RESULTS = 200;

const text = (most: number, description: string) => Type.String({ maxLength: most, description });

export const LoincMatch = Type.Object({
  loinc_code: text(20, 'LOINC code.'),
  loinc_name: text(255, "LOINC's long common name."),
  display_name: text(255, 'The name as the catalogue has it.'),
  aliases: Type.Array(text(100, 'Another name.'), {
    maxItems: 20,
    description: 'Other names that reports use for it.',
  }),
  confidence_score: Type.Number({ minimum: 0, maximum: 1, description: 'How sure the match is, from 0 to 1.' }),
});

export const LabReportResult = Type.Object({
  test_name: text(200, 'The name as the report has it.'),
  value: text(200, 'The value as the report has it.'),
  sample_type: oneOf(SAMPLE_TYPES, { description: 'What was measured in.' }),
  measurement_kind: oneOf(['direct', 'calculated', 'ratio', 'unknown'], { description: 'How it was measured.' }),
  type: nullable(oneOf(REPORT_RESULT_TYPES, { description: 'What kind of value it is.' })),
  units: nullable(text(40, 'The unit as the report has it.')),
  max_reference_range: nullable(Type.Number({ description: 'Upper end of the reference range.' })),
  min_reference_range: nullable(Type.Number({ description: 'Lower end of the reference range.' })),
  source_panel_name: nullable(text(200, 'The heading under which the report has it.')),
  sensitivity: oneOf(['sensitive', 'insensitive', 'unknown'], {
    description: 'Whether the result is a sensitive one.',
  }),
  loinc_matches: nullable(
    Type.Array(LoincMatch, {
      maxItems: 5,
      description: 'What it may be, the likeliest first; null where nothing fits.',
    }),
  ),
  loinc_match_status: nullable(
    oneOf(['auto_match', 'needs_review', 'no_match'], { description: 'Whether the match may be taken as it is.' }),
  ),
  interpretation: nullable(oneOf(INTERPRETATIONS)),
  is_above_max_range: nullable(Type.Boolean()),
  is_below_min_range: nullable(Type.Boolean()),
  source_markers: nullable(
    Type.Array(SourceMarker, { maxItems: 10, description: 'Markers of the catalogue that bring this result.' }),
  ),
});

const known = (most: number, description: string) => nullable(text(most, description));

const LabReportMetadata = Type.Object({
  patient_first_name: known(100, 'First name of the patient, as the report has it.'),
  patient_last_name: known(100, 'Last name of the patient.'),
  dob: known(10, "The patient's date of birth."),
  gender: oneOf(['male', 'female', 'other'], { description: 'Other also where the report does not say.' }),
  lab_name: known(200, 'Name of the laboratory.'),
  date_reported: known(10, 'When the laboratory reported.'),
  date_collected: known(10, 'When the sample was taken.'),
  specimen_number: known(100, "The laboratory's number of the specimen."),
});

export const ParsedLabReportData = Type.Object({
  metadata: LabReportMetadata,
  results: Type.Array(LabReportResult, {
    maxItems: MOST_RESULTS,
    description: 'What was read, in the order of the report.',
  }),
});

const job = {
  id: Uuid,
  job_id: Type.String({ format: 'uuid', description: 'The same as id.' }),
  status: oneOf(STATUSES, { description: 'started until it is completed or failed.' }),
  failure_reason: nullable(oneOf(FAILURE_REASONS, { description: 'Why a failed job failed.' })),
  data: nullable(
    Type.Object(ParsedLabReportData.properties, { description: 'What was read; null where nothing was.' }),
  ),
  needs_human_review: Type.Boolean({
    description: 'Somebody has to look: it was asked for, or not everything could be read and matched.',
  }),
  is_reviewed: Type.Boolean({ description: 'Whoever runs the service has looked at it.' }),
};

/** As events tell of it. */
export const ParsingJob = Type.Object(job);

const ParsingJobFile = Type.Object({
  content_type: Type.String({ description: 'What the file is, by its first bytes.' }),
  bytes: Type.Integer({ description: 'Size of the file.' }),
  url: Type.String({ description: 'Where the file can be had for 15 minutes, without a key.' }),
});

/** As it is answered. */
export const ParsingJobWithFiles = Type.Object({
  ...job,
  files: Type.Array(ParsingJobFile, { description: 'What was sent, in its order.' }),
});

export const ParserJobFields = Type.Object({
  user_id: Uuid,
  needs_human_review: withDefault(Type.Boolean({ description: 'Have somebody look at it whatever was read.' }), false),
});
