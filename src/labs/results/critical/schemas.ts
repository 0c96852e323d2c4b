import { Type } from 'typebox';
import { isId } from '../../../db/cursor.ts';
import {
  Cursor,
  nullable,
  oneOf,
  optional,
  PastMoment,
  Prose,
  Text,
  Timestamp,
  Uuid,
  withDefault,
  WordFilter,
} from '../../../wire/schema.ts';
import type { Requirement } from '../../../wire/rules.ts';
import { shape } from '../../../wire/shape.ts';
import { ListedPatient } from '../../orders/schemas.ts';

const CRITICAL_STATUSES = ['open', 'acknowledged', 'signed_off'] as const;

export const CriticalResultQuery = Type.Object({
  status: Type.Optional(
    Type.Array(WordFilter(), {
      maxItems: 10,
      description: 'Returns only critical results with one of these statuses: open, acknowledged, signed_off.',
    }),
  ),
  user_id: Type.Optional(Uuid),
  order_id: Type.Optional(Uuid),
  order_direction: withDefault(
    oneOf(['asc', 'desc'], { description: 'desc: the newest first. asc: the one that has waited longest first.' }),
    'desc',
  ),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100, description: 'Critical results in a page.' }), 50),
  next_cursor: Type.Optional(Cursor({ isKey: isId })),
});

const MAX_PERSON = 200;
const Person = (description: string): ReturnType<typeof Type.String> => Text(MAX_PERSON, { description });

/** Nobody can repeat a result unless somebody was told it. */
const READ_BACK_BY_PERSON: Requirement = {
  words: '`read_back` of true needs `called_person`.',
  check: ({ read_back, called_person }) =>
    read_back === true && (called_person === undefined || called_person === null)
      ? [{ at: ['called_person'], type: 'missing', msg: 'Field required where read_back is true' }]
      : [],
};

export const AcknowledgeCriticalResult = shape(
  'AcknowledgeCriticalResult',
  {
    acknowledged_by: optional(
      Person('Name of the person who acknowledges. Required of a key. Without effect for a person who is signed in.'),
    ),
    called_person: optional(Person('Name of the person who was told, such as the physician on call.')),
    called_at: optional({
      ...PastMoment,
      description: 'When this person was told. Not before the result was received.',
    }),
    read_back: optional(Type.Boolean({ description: 'Whether this person repeated the result, and it was right.' })),
    note: optional(Prose(4000, { description: 'What else the next reader has to know.' })),
  },
  { fulfils: READ_BACK_BY_PERSON },
);

export const SignOffCriticalResult = shape('SignOffCriticalResult', {
  signed_off_by: optional(
    Person('Name of the person who signs off. Required of a key. Without effect for a person who is signed in.'),
  ),
  note: optional(Prose(4000, { description: 'What was decided.' })),
});

export const CriticalMarker = shape('CriticalMarker', {
  name: Type.String(),
  slug: nullable(
    Type.String({ description: "The marker's short name. Null if we do not know the laboratory's code." }),
  ),
  loinc: nullable(Type.String()),
  result: Type.String({ description: 'The critical value, as the laboratory reported it.' }),
  unit: nullable(Type.String()),
  reference_range: nullable(Type.String()),
  source_interpretation: nullable(Type.String({ description: "The laboratory's own flag (HL7 table 0078)." })),
});

export const CriticalResultEntry = shape('CriticalResultEntry', {
  id: Uuid,
  user_id: Uuid,
  client_user_id: Type.String(),
  order_id: Uuid,
  order: Type.Object({
    last_status: Type.String(),
    sample_id: nullable(Type.String()),
    lab_test_name: Type.String({ description: 'Name of the lab test.' }),
    patient: nullable(ListedPatient),
  }),
  interpretation: Type.String(),
  result_status: oneOf(['partial', 'final'], { description: 'Status of the report that was critical.' }),
  belongs_to_ended_order: Type.Boolean({
    description: 'True if the order had ended before. The report is then in GET /v3/unmatched_result.',
  }),
  markers: Type.Array(CriticalMarker, { description: 'The critical values of the report, as they were received.' }),
  received_at: { ...Timestamp, description: 'When the laboratory reported the critical result to us.' },
  status: oneOf(CRITICAL_STATUSES, { description: 'open, then acknowledged, then signed_off.' }),
  acknowledgement: nullable(
    Type.Object(
      {
        acknowledged_by: Type.String({ description: 'The person who acknowledged it.' }),
        acknowledged_at: Timestamp,
        called_person: nullable(Type.String({ description: 'The person who was told.' })),
        called_at: nullable({ ...Timestamp, description: 'When this person was told.' }),
        read_back: nullable(Type.Boolean({ description: 'Whether this person repeated the result rightly.' })),
        note: nullable(Type.String({ description: 'What else the next reader has to know.' })),
      },
      { description: 'Who acknowledged it, and whom they called; null while it is open.' },
    ),
  ),
  sign_off: nullable(
    Type.Object(
      {
        signed_off_by: Type.String({ description: 'The person who signed it off.' }),
        signed_off_at: Timestamp,
        note: nullable(Type.String({ description: 'What was decided.' })),
      },
      { description: 'Who signed it off; null before.' },
    ),
  ),
});

export const CriticalResultPage = shape('CriticalResultPage', {
  data: Type.Array(CriticalResultEntry),
  next_cursor: nullable(Type.String()),
});
