import { Type } from 'typebox';
import {
  Cursor,
  LowerBound,
  nullable,
  oneOf,
  optional,
  Text,
  Timestamp,
  UpperBound,
  Uuid,
  withDefault,
  WordFilter,
} from '../../../wire/schema.ts';
import { INTERPRETATIONS } from '../schemas.ts';
import { shape } from '../../../wire/shape.ts';

export const DECISION_CODES = [
  'match_sample_id',
  'match_completed',
  'match_cancelled',
  'wrong_collection',
  'wrong_lab',
  'multiple_demo_match',
  'match_sample_id_mismatch_demo',
  'match_demo',
  'no_match',
] as const;
const STATUSES = ['matched', 'pending_customer_review', 'pending_ops_review', 'resolved'] as const;
export const REASON_CODES = [
  'sample_id_match',
  'lab_account_mismatch',
  'matched_completed_order',
  'matched_cancelled_order',
  'invalid_collection_state',
  'demographic_mismatch',
  'demographic_match',
  'possible_wrong_lab',
  'same_lab',
  'same_user',
  'marker_overlap_exact',
  'marker_overlap_partial',
  'marker_overlap_none',
] as const;

const Candidate = Type.Object({
  candidate_type: oneOf(['provenance_order', 'order_option'], {
    description:
      'provenance_order: the order that the report itself names. order_option: an order to which it may belong.',
  }),
  order_id: nullable(Uuid),
  order_transaction_id: nullable(Uuid),
  last_status: nullable(Type.String()),
  confidence_level: oneOf(['high', 'medium', 'low']),
  confidence_score: nullable(Type.Number({ description: 'From 0 to 1. A higher score means a likelier order.' })),
  reasons: Type.Array(oneOf(REASON_CODES)),
  marker_overlap: nullable(
    Type.Object({
      reported: Type.Integer({ description: 'How many results the report has.' }),
      shared: Type.Integer({ description: 'How many of them were ordered.' }),
      ordered: Type.Integer({ description: 'How many results the order has.' }),
    }),
  ),
  status_context: nullable(
    Type.Object({ status: Type.String({ description: 'The first part of its newest status.' }), since: Timestamp }),
  ),
});

export const UnmatchedResult = shape('UnmatchedResult', {
  id: Uuid,
  status: oneOf(STATUSES),
  decision_code: oneOf(DECISION_CODES),
  sub_reason_codes: Type.Array(oneOf(['lab_account_mismatch'])),
  reason: Type.String({ description: 'The decision code in words.' }),
  patient: nullable(
    Type.Object(
      {
        first_name: nullable(Type.String()),
        last_name: nullable(Type.String()),
        dob: nullable(Type.String({ description: 'YYYY-MM-DD' })),
        gender: nullable(Type.String()),
      },
      { description: 'The person that the report names; null if it names nobody.' },
    ),
  ),
  lab: Type.Object({ id: Type.Integer(), name: Type.String(), slug: Type.String() }),
  sample_ids: Type.Array(Type.String(), { description: 'The ids of the samples, as the report names them.' }),
  collected_at: nullable({ ...Timestamp, description: 'When the sample was taken, as the report says.' }),
  markers: Type.Array(
    Type.Object({
      provider_id: nullable(Type.String()),
      name: nullable(Type.String()),
      result: nullable(Type.String({ description: 'The value, as the laboratory reported it.' })),
      unit: nullable(Type.String()),
      reference_range: nullable(Type.String()),
    }),
    { description: 'The markers of which the report has results.' },
  ),
  interpretation: nullable(oneOf(INTERPRETATIONS)),
  result_status: nullable(oneOf(['final', 'partial'])),
  decision: nullable(oneOf(['accepted', 'rejected'], { description: 'What was decided at the end; null before.' })),
  order_id: nullable({ ...Uuid, description: 'The order for which the result was accepted.' }),
  note: nullable(Type.String({ description: 'The reason for the decision, in the words of the person who made it.' })),
  decided_by: nullable(
    Type.String({ description: 'The name of the person who decided, if the person was signed in.' }),
  ),
  allowed_actions: Type.Array(oneOf(['accept', 'reject', 'unsure'])),
  candidate_groups: Type.Array(Type.Object({ user_id: nullable(Uuid), candidates: Type.Array(Candidate) })),
  created_at: Timestamp,
  updated_at: Timestamp,
  reviewed_at: nullable(Timestamp),
});

export const UnmatchedResultPage = shape('UnmatchedResultPage', {
  data: Type.Array(UnmatchedResult),
  next_cursor: nullable(Type.String()),
});

const note = optional(Text(1000, { description: 'The reason, in your own words.' }));

export const AcceptUnmatchedResult = shape('AcceptUnmatchedResult', {
  user_id: optional(Uuid),
  order_id: optional(Uuid),
  note,
});

/** The body of the management operation. A person confirms what the report contradicts. */
export const AcceptManagedUnmatchedResult = shape('AcceptManagedUnmatchedResult', {
  ...AcceptUnmatchedResult.properties,
  confirm_patient: withDefault(
    Type.Boolean({
      description:
        'Confirms that the report is of the order, although it names another patient, or its sample was collected ' +
        'more than a day before the order was made. Then `note` is needed too.',
    }),
    false,
  ),
});

export const ResolveUnmatchedResult = shape('ResolveUnmatchedResult', { action: oneOf(['reject', 'unsure']), note });

export const MatchReview = shape('MatchReview', {
  id: Uuid,
  status: oneOf(STATUSES),
  decision_code: oneOf(DECISION_CODES),
  sub_reason_codes: Type.Array(Type.String()),
  interpretation: nullable(oneOf(INTERPRETATIONS, { description: 'Of the worst value; null if there is no value.' })),
});

export const UnmatchedResultQuery = Type.Object({
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
  next_cursor: Type.Optional(Cursor()),
  decision_code: Type.Optional(WordFilter()),
  lab_slug: Type.Optional(WordFilter({ description: 'Only results of the laboratory with this slug.' })),
  status: Type.Optional(WordFilter()),
  order_id: Type.Optional({ ...Uuid, description: 'Only results that were accepted for this order.' }),
  created_at_start: Type.Optional(LowerBound),
  created_at_end: Type.Optional(UpperBound),
});
