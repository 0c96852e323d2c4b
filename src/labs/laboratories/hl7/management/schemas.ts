import { Type } from 'typebox';
import { Cursor, nullable, oneOf, Text, Timestamp, Uuid, withDefault, WordFilter } from '../../../../wire/schema.ts';
import { shape } from '../../../../wire/shape.ts';

const MESSAGE_STATES = ['received', 'applied', 'failed', 'discarded'] as const;
const OUTBOX_STATES = ['waiting', 'held', 'committed', 'accepted', 'refused', 'withdrawn', 'given_up'] as const;

const page = {
  lab: Type.Optional(WordFilter({ description: 'Only messages of the laboratory with this slug.' })),
  reason: Type.Optional(WordFilter({ description: 'Only messages with this reason code.' })),
  order_id: Type.Optional({ ...Uuid, description: 'Only messages of this order.' }),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
  next_cursor: Type.Optional(Cursor()),
};

export const MessageQuery = Type.Object({
  state: Type.Optional(WordFilter({ description: 'Messages that wait to be repaired are failed. Default: failed.' })),
  ...page,
});

const shown = {
  id: Uuid,
  lab: Type.String({ description: 'Slug of the laboratory.' }),
  order_id: nullable({ ...Uuid, description: 'The order of the message, if it is known.' }),
  reason: nullable(Type.String({ description: 'A code of docs/guides/repair-messages.md.' })),
};

export const LaboratoryMessage = shape('LaboratoryMessage', {
  ...shown,
  control_id: Type.String({ description: "The laboratory's own id of the message (MSH-10)." }),
  type: Type.String({ description: 'For example ORU^R01.' }),
  state: oneOf(MESSAGE_STATES, {
    description: 'failed: the message or a part of it waits to be repaired. received: it was not read yet.',
  }),
  warnings: Type.Array(Type.String(), { description: 'Codes of parts that were read as they were, or left out.' }),
  is_partly_applied: Type.Boolean({ description: 'The readable parts are in the result already.' }),
  waits: Type.Array(
    Type.Object({
      reason: Type.String({ description: 'A code of docs/guides/repair-messages.md.' }),
      segment: Type.String({ description: 'For example OBX. An OBR includes everything that follows it.' }),
      number: Type.Integer({ description: 'Its position in the message. MSH is 1.' }),
      codes: Type.Array(Type.String(), { description: "The laboratory's codes of the part." }),
    }),
    { description: 'The unreadable parts. Empty if the whole message waits.' },
  ),
  received_at: { ...Timestamp, description: 'When the message arrived.' },
});
export const LaboratoryMessagePage = shape('LaboratoryMessagePage', {
  data: Type.Array(LaboratoryMessage),
  next_cursor: nullable(Type.String()),
});

export const LaboratoryMessageInFull = shape('LaboratoryMessageInFull', {
  ...LaboratoryMessage.properties,
  is_shown: Type.Boolean({
    description: 'False if the message may be about another person, or its text was deleted. Then no field is shown.',
  }),
  segments: Type.Array(
    Type.Object({
      number: Type.Integer({ description: 'Its position in the message. MSH is 1.' }),
      name: Type.String({ description: 'For example OBX.' }),
      fields: Type.Record(Type.String(), Type.String(), {
        description: 'The fields that a repair may change, by number, as HL7 writes them.',
      }),
    }),
    { description: 'Without segments that contain personal data, such as PID, NK1, GT1 and IN1.' },
  ),
});

export const MessageRepair = shape('MessageRepair', {
  changes: Type.Array(
    Type.Object({
      segment: Type.Integer({ minimum: 2, maximum: 20_000, description: 'Number of the segment.' }),
      field: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Number of the field.' })),
      value: Type.Optional(
        Text(65_536, { minLength: 0, description: 'The whole field as HL7 writes it, with its components.' }),
      ),
      remove: Type.Optional(
        Type.Boolean({ default: false, description: 'Removes the segment, which must be an OBX or NTE.' }),
      ),
    }),
    { minItems: 1, maxItems: 500, description: 'The changes of the repaired message.' },
  ),
});

export const RepairOutcome = shape('RepairOutcome', {
  id: { ...Uuid, description: 'Id of the message. After a repair, id of the message that replaced it.' },
  state: oneOf(MESSAGE_STATES),
  reason: nullable(Type.String({ description: 'Why the message still waits.' })),
});

export const OutboxQuery = Type.Object({
  state: Type.Optional(
    WordFilter({
      description:
        'Messages that a laboratory refused are refused. open finds all that are not done: refused, waiting, held ' +
        'and committed. Default: refused.',
    }),
  ),
  ...page,
});

export const LaboratoryOutboxEntry = shape('LaboratoryOutboxEntry', {
  ...shown,
  order_id: Uuid,
  user_id: { ...Uuid, description: 'The user of the order.' },
  order_status: nullable(
    Type.String({ description: 'The current status. Null while the user is scheduled for deletion.' }),
  ),
  action: oneOf(['new', 'cancel']),
  state: oneOf(OUTBOX_STATES, { description: 'The state of the message at the laboratory.' }),
  held_by: nullable(
    oneOf(['operator', 'organisation'], { description: 'Who holds the message. Null if it is not held.' }),
  ),
  is_lab_held: Type.Boolean({ description: 'The operator holds all messages to the laboratory.' }),
  attempts: Type.Integer(),
  created_at: Timestamp,
});
export const LaboratoryOutboxPage = shape('LaboratoryOutboxPage', {
  data: Type.Array(LaboratoryOutboxEntry),
  next_cursor: nullable(Type.String()),
});
