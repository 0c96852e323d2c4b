import { Type } from 'typebox';
import { OrderTransaction } from '../orders/schemas.ts';
import { Address } from '../../wire/address.ts';
import { nullable, oneOf, Timestamp, Uuid } from '../../wire/schema.ts';
import { named, shape } from '../../wire/shape.ts';

export const RESULT_TYPES = ['numeric', 'range', 'comment', 'coded_value'] as const;
export const INTERPRETATIONS = ['normal', 'abnormal', 'critical', 'unknown'] as const;

const RESULT_STATUSES = ['partial', 'final', 'corrected'] as const;
export const FAILURE_TYPES = [
  'quantity_not_sufficient_failure',
  'collection_process_failure',
  'drop_off_failure',
  'internal_lab_failure',
  'order_entry_failure',
  'non_failure',
  'unknown_failure',
  'patient_condition_failure',
  'missing_result_calc_failure',
  'missing_demo_aoe_calc_failure',
  'insufficient_volume',
] as const;

export const SourceMarker = shape('SourceMarker', {
  marker_id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  provider_id: nullable(Type.String()),
});

const At = Type.String({ format: 'date-time', description: 'The moment, in UTC.' });

export const ResultCode = shape('ResultCode', {
  code: Type.String(),
  text: nullable(Type.String({ description: 'The text of the code.' })),
  system: nullable(
    Type.String({
      description:
        'The coding system as the laboratory names it (HL7 table 0396): SCT is SNOMED CT, LN is LOINC, L its own.',
    }),
  ),
});

export const PastResult = shape('PastResult', {
  result: Type.String({ description: 'As it was reported then.' }),
  unit: nullable(Type.String()),
  interpretation: oneOf(INTERPRETATIONS),
  status: oneOf(RESULT_STATUSES, { description: 'The status that the laboratory gave it then.' }),
  timestamp: nullable(At),
  came_late: Type.Boolean({
    description: 'It arrived after a newer value, and was never the current value of the analyte.',
  }),
});

export const BiomarkerResult = shape('BiomarkerResult', {
  name: Type.String(),
  slug: Type.String(),
  value: nullable(
    Type.Number({ deprecated: true, description: 'The number of a numeric result, and -1 for any other type.' }),
  ),
  result: Type.String({ description: 'Read it according to type.' }),
  type: oneOf(RESULT_TYPES, { description: 'What `result` contains: a number, a range, a comment or a code.' }),
  result_type: oneOf(RESULT_TYPES, { description: 'The same as type.' }),
  unit: nullable(Type.String({ description: 'UCUM' })),
  timestamp: nullable(At),
  notes: nullable(Type.String()),
  reference_range: nullable(Type.String({ description: 'Such as `<5.7`, `>=40` or `2.6-24.9` (both ends included).' })),
  min_range_value: nullable(Type.Number()),
  max_range_value: nullable(Type.Number()),
  is_above_max_range: nullable(Type.Boolean()),
  is_below_min_range: nullable(Type.Boolean()),
  interpretation: oneOf(INTERPRETATIONS),
  source_interpretation: Type.String({ description: "The laboratory's own flag (HL7 table 0078)." }),
  loinc: nullable(Type.String()),
  loinc_slug: nullable(Type.String()),
  provider_id: nullable(Type.String()),
  source_markers: nullable(Type.Array(SourceMarker)),
  performing_laboratory: nullable(Type.String()),
  source_sample_id: nullable(Type.String()),
  status: oneOf(RESULT_STATUSES, { description: 'corrected: the laboratory changed it after it was final.' }),
  previous_result: nullable(
    Type.String({ description: 'What was reported before the correction, with its unit; null if nothing changed.' }),
  ),
  history: Type.Array(PastResult, {
    description:
      'Other values that the laboratory reported for this analyte, oldest first, without those that it withdrew.',
  }),
  result_codes: nullable(
    Type.Array(ResultCode, { description: 'For a coded_value: every code that the laboratory gave.' }),
  ),
});

export const MissingResult = shape('MissingResult', {
  name: Type.String(),
  slug: Type.String(),
  inferred_failure_type: oneOf(FAILURE_TYPES),
  note: nullable(Type.String()),
  loinc: nullable(Type.String()),
  loinc_slug: nullable(Type.String()),
  provider_id: nullable(Type.String()),
  source_markers: nullable(Type.Array(SourceMarker)),
  history: Type.Array(PastResult, {
    description: 'Values that the laboratory reported for this analyte before it cancelled it, oldest first.',
  }),
});

export const ResultMetadata = shape('ResultMetadata', {
  age: Type.String(),
  dob: Type.String(),
  'clia_#': nullable(Type.String()),
  patient: Type.String(),
  provider: nullable(Type.String()),
  laboratory: nullable(Type.String()),
  date_reported: Type.String({ deprecated: true }),
  date_collected: nullable(Type.String({ deprecated: true })),
  specimen_number: Type.String(),
  date_received: nullable(Type.String({ deprecated: true })),
  status: Type.String(),
  interpretation: nullable(Type.String()),
  patient_id: nullable(Type.String()),
  account_id: nullable(Type.String()),
});

export const ZonedTimestamp = shape('ZonedTimestamp', { timestamp: At, timezone_offset: Type.Integer() });

export const SampleInformation = named(
  'SampleInformation',
  Type.Record(
    Type.String(),
    Type.Object({
      sample_id: nullable(Type.String()),
      control_number: nullable(Type.String()),
      date_collected: nullable(ZonedTimestamp),
      date_received: nullable(ZonedTimestamp),
      date_reported: nullable(ZonedTimestamp),
      performing_laboratories: nullable(
        Type.Record(
          Type.String(),
          Type.Object({
            name: Type.String(),
            phone_number: nullable(Type.String()),
            medical_director: nullable(Type.String()),
            address: nullable(Address),
          }),
        ),
      ),
      clinical_information: nullable(
        Type.Object({
          fasting: Type.Boolean(),
          notes: nullable(Type.String()),
          information: nullable(Type.String()),
          total_volume: nullable(Type.String()),
        }),
      ),
    }),
  ),
);

export const LabResults = shape('LabResults', {
  metadata: ResultMetadata,
  results: Type.Array(BiomarkerResult),
  missing_results: nullable(Type.Array(MissingResult)),
  sample_information: nullable(SampleInformation),
  order_transaction: nullable(OrderTransaction),
  has_results_in_review: Type.Boolean(),
});

export const CriticalResult = shape('CriticalResult', {
  order_id: Uuid,
  sample_id: Type.String({ description: 'Empty if the order has none.' }),
  status: oneOf(['final', 'partial']),
  interpretation: oneOf(INTERPRETATIONS),
  team_id: Uuid,
  user_id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
});
