import { Type } from 'typebox';
import { Cursor, nullable, oneOf, Text, Timestamp, Uuid, withDefault, WordFilter } from '../../../../wire/schema.ts';

const MESSAGE_STATES = ['received', 'applied', 'failed', 'discarded'] as const;
const OUTBOX_STATES = ['waiting', 'held', 'committed', 'accepted', 'refused', 'withdrawn', 'given_up'] as const;

const page = {
  lab: Type.Optional(WordFilter({ description: 'Of the laboratory with this slug.' })),
  reason: Type.Optional(WordFilter({ description: 'With this reason code.' })),
  order_id: Type.Optional({ ...Uuid, description: 'Of this order.' }),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
  next_cursor: Type.Optional(Cursor()),
};

export const MessageQuery = Type.Object({
  state: Type.Optional(WordFilter({ description: 'failed are those that wait; left out, these.' })),
  ...page,
});

const shown = {
  id: Uuid,
  lab: Type.String({ description: 'Slug of the laboratory.' }),
  order_id: nullable({ ...Uuid, description: 'Whose result it is, where that is known.' }),
  reason: nullable(Type.String({ description: 'A code of docs/guides/repair-messages.md.' })),
};

export const LaboratoryMessage = Type.Object({
  ...shown,
  control_id: Type.String({ description: "The laboratory's own id of the message." }),
  type: Type.String({ description: 'As ORU^R01.' }),
  state: oneOf(MESSAGE_STATES, {
    description: 'failed: it, or a part of it, waits to be repaired. received: it is about to be read.',
  }),
  warnings: Type.Array(Type.String(), { description: 'Of what was read as it stood, or left out.' }),
  is_partly_applied: Type.Boolean({ description: 'What of it could be read is in the result already.' }),
  waits: Type.Array(
    Type.Object({
      reason: Type.String({ description: 'A code of docs/guides/repair-messages.md.' }),
      segment: Type.String({ description: 'As OBX; an OBR stands for all that follows it.' }),
      number: Type.Integer({ description: 'Its place in the message; MSH is 1.' }),
      codes: Type.Array(Type.String(), { description: "The laboratory's codes of it." }),
    }),
    { description: 'The parts that could not be read; none where all of it waits.' },
  ),
  received_at: { ...Timestamp, description: 'When it came.' },
});
export const LaboratoryMessagePage = Type.Object({
  data: Type.Array(LaboratoryMessage),
  next_cursor: nullable(Type.String()),
});

export const LaboratoryMessageInFull = Type.Object({
  ...LaboratoryMessage.properties,
  is_shown: Type.Boolean({
    description: 'False where it may be about somebody else, and where nothing of it is kept: then no field is shown.',
  }),
  segments: Type.Array(
    Type.Object({
      number: Type.Integer({ description: 'Its place in the message; MSH is 1.' }),
      name: Type.String({ description: 'As OBX.' }),
      fields: Type.Record(Type.String(), Type.String(), {
        description: 'Those that a repair may change, by number, as they stand in the message.',
      }),
    }),
    { description: 'Without those that tell of people: PID, NK1, GT1, IN1 and such.' },
  ),
});

export const MessageRepair = Type.Object({
  changes: Type.Array(
    Type.Object({
      segment: Type.Integer({ minimum: 2, maximum: 20_000, description: 'Number of the segment.' }),
      field: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Number of the field.' })),
      value: Type.Optional(
        Text(65_536, { minLength: 0, description: 'The whole field as HL7 writes it, with its components.' }),
      ),
      remove: Type.Optional(Type.Boolean({ default: false, description: 'Takes an OBX or NTE out, instead.' })),
    }),
    { minItems: 1, maxItems: 500, description: 'What is different in the mended message.' },
  ),
});

export const RepairOutcome = Type.Object({
  id: { ...Uuid, description: 'Of the message; of a repaired one, of that which took its place.' },
  state: oneOf(MESSAGE_STATES),
  reason: nullable(Type.String({ description: 'Why it waits still.' })),
});

export const OutboxQuery = Type.Object({
  state: Type.Optional(WordFilter({ description: 'refused ones are left to people; left out, these.' })),
  ...page,
});

export const LaboratoryOutboxEntry = Type.Object({
  ...shown,
  order_id: Uuid,
  order_status: nullable(Type.String({ description: 'As it is now; null while its user is scheduled for deletion.' })),
  action: oneOf(['new', 'cancel']),
  state: oneOf(OUTBOX_STATES, { description: 'How far it is with the laboratory.' }),
  held_by: nullable(
    oneOf(['operator', 'organisation'], { description: 'Who keeps it from being sent; null where it is not held.' }),
  ),
  is_lab_held: Type.Boolean({ description: 'All that goes to the laboratory is held by whoever runs the service.' }),
  attempts: Type.Integer(),
  created_at: Timestamp,
});
export const LaboratoryOutboxPage = Type.Object({
  data: Type.Array(LaboratoryOutboxEntry),
  next_cursor: nullable(Type.String()),
});
