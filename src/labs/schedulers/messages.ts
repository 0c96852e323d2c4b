// What a scheduler is asked and answers: docs/guides/connect-a-scheduler.md tells it for those who build one.
import { Type, type Static } from 'typebox';

const MOMENT = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,6})?)?(Z|[+-]\\d{2}:\\d{2})$';
const Moment = Type.String({ maxLength: 40, pattern: MOMENT });
const Id = Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' });
const Code = Type.String({ maxLength: 50, pattern: '^[a-z0-9_]+$' });

/** More than any week of a place has. */
const MOST_SLOTS = 1_000;

export const SlotsAnswer = Type.Object({
  slots: Type.Array(
    Type.Object({
      slot_id: Id,
      start: Moment,
      end: Moment,
      site_code: Type.Optional(Type.String({ maxLength: 40 })),
      price: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000 })),
      available: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
    }),
    { maxItems: MOST_SLOTS },
  ),
});
export type SlotsAnswer = Static<typeof SlotsAnswer>;

const told = {
  external_id: Type.Optional(Type.Union([Id, Type.Null()])),
  start: Type.Optional(Type.Union([Moment, Type.Null()])),
  end: Type.Optional(Type.Union([Moment, Type.Null()])),
};

/** To a booking, a move and a cancellation. */
export const CallAnswer = Type.Object({
  status: Type.Union([
    Type.Literal('confirmed'),
    Type.Literal('reserved'),
    Type.Literal('pending'),
    Type.Literal('cancelled'),
  ]),
  ...told,
});
export type CallAnswer = Static<typeof CallAnswer>;

export const RefusalAnswer = Type.Object({ code: Code });

/** What a scheduler tells by itself. */
export const SchedulerNews = Type.Object({
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
  ...told,
  reason: Type.Optional(Type.Union([Code, Type.Null()])),
});
export type SchedulerNews = Static<typeof SchedulerNews>;

/** A moment that is one, in UTC; null for a day or hour that no calendar has. */
export function momentOrNull(text: string | null | undefined): string | null {
  const at = text === null || text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
