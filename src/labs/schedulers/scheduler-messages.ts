// The messages to and from a scheduler. docs/guides/connect-a-scheduler.md describes them for developers who connect
// one.
import { Type, type Static } from 'typebox';

const MOMENT = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,6})?)?(Z|[+-]\\d{2}:\\d{2})$';
const Moment = Type.String({ maxLength: 40, pattern: MOMENT });
const Id = Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' });
const Code = Type.String({ maxLength: 50, pattern: '^[a-z0-9_]+$' });

/** The most appointment slots in a response. No location offers that many in a week. */
const MAX_SLOTS = 1_000;

export const SlotsResponse = Type.Object({
  slots: Type.Array(
    Type.Object({
      slot_id: Id,
      start: Moment,
      end: Moment,
      site_code: Type.Optional(Type.String({ maxLength: 40 })),
      price: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000 })),
      available: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
    }),
    { maxItems: MAX_SLOTS },
  ),
});
export type SlotsResponse = Static<typeof SlotsResponse>;

const reportedFields = {
  external_id: Type.Optional(Type.Union([Id, Type.Null()])),
  start: Type.Optional(Type.Union([Moment, Type.Null()])),
  end: Type.Optional(Type.Union([Moment, Type.Null()])),
};

/** A scheduler's response to a booking, a move or a cancellation. */
export const CallResponse = Type.Object({
  status: Type.Union([
    Type.Literal('confirmed'),
    Type.Literal('reserved'),
    Type.Literal('pending'),
    Type.Literal('cancelled'),
  ]),
  ...reportedFields,
});
export type CallResponse = Static<typeof CallResponse>;

export const RefusalResponse = Type.Object({ code: Code });

/** An update that a scheduler sends without a request from us. */
export const SchedulerUpdate = Type.Object({
  appointment_id: Type.String({
    maxLength: 36,
    pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  }),
  status: Type.Union([
    Type.Literal('reserved'),
    Type.Literal('confirmed'),
    Type.Literal('in_progress'),
    Type.Literal('completed'),
    Type.Literal('cancelled'),
  ]),
  occurred_at: Moment,
  ...reportedFields,
  reason: Type.Optional(Type.Union([Code, Type.Null()])),
});
export type SchedulerUpdate = Static<typeof SchedulerUpdate>;

/** Returns the time in UTC; null if the text is missing or its day or hour does not exist. */
export function momentOrNull(text: string | null | undefined): string | null {
  const at = text === null || text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
