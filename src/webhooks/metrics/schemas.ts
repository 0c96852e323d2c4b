import { Type } from 'typebox';
import { LowerBound, nullable, oneOf, Timestamp, UpperBound, withDefault } from '../../wire/schema.ts';
import { IN_RANGE, INTERVALS } from './range.ts';

const Interval = (description: string) => withDefault(oneOf(INTERVALS, { description }), '1h');

export const MetricsQuery = Type.Object(
  {
    since: Type.Optional(
      Type.Unsafe<string>({
        ...LowerBound,
        description: 'Left out: a day before `until`, 30 days with intervals of a day.',
      }),
    ),
    until: Type.Optional(Type.Unsafe<string>({ ...UpperBound, description: 'Left out: now.' })),
    interval: Interval('How much time a line of `data` is of.'),
  },
  { fulfils: IN_RANGE },
);

const Count = (description: string) => Type.Integer({ description });
const Milliseconds = (description: string) => nullable(Type.Number({ description }));

const figures = {
  attempts: Count('Attempts that were made, first ones and repeated ones.'),
  succeeded: Count('Attempts that were answered with 2xx.'),
  failed: Count('All other attempts.'),
  success_rate: nullable(
    Type.Number({ description: 'Part of the attempts that succeeded, 0 to 1; null without attempts.' }),
  ),
  latency_ms: Type.Object(
    {
      p50: Milliseconds('Half of the attempts ended within it.'),
      p95: Milliseconds('95 of 100 attempts ended within it.'),
      p99: Milliseconds('99 of 100 attempts ended within it.'),
    },
    {
      description:
        'How long attempts took, whatever they ended with, in milliseconds: from counts by parts of time, of which each is at ' +
        'most twice as long as the one before. null without attempts.',
    },
  ),
};

export const WebhookMetrics = Type.Object({
  interval: oneOf(INTERVALS, { description: 'How much time a line of `data` is of.' }),
  since: Type.Unsafe<string>({ ...Timestamp, description: 'Beginning of the first interval.' }),
  until: Type.Unsafe<string>({ ...Timestamp, description: 'End of the last interval.' }),
  total: Type.Object(figures, { description: 'Of the whole time.' }),
  data: Type.Array(
    Type.Object({ start: Type.Unsafe<string>({ ...Timestamp, description: 'When the interval begins.' }), ...figures }),
    { description: 'Each interval from the first to the last, also those without attempts.' },
  ),
});

export const EventDeliveryQuery = Type.Object({
  interval: Interval('Between two values: of a day in fives of minutes, 3 days, 7 days or 30 days of whole days.'),
});

/** As Prometheus answers a query over a range: a value is the time in seconds and a number as text. */
export const PrometheusMatrix = Type.Object({
  status: oneOf(['success']),
  data: Type.Object(
    {
      resultType: oneOf(['matrix'], { description: 'A series of values for each set of labels.' }),
      result: Type.Array(
        Type.Object({
          metric: Type.Unsafe<Record<string, string>>({
            type: 'object',
            additionalProperties: { type: 'string' },
            description:
              '`__name__` is event_delivery_attempts, with `outcome` succeeded or failed, or event_delivery_duration_seconds, with ' +
              '`quantile` 0.5, 0.95 or 0.99.',
          }),
          values: Type.Array(Type.Array(Type.Union([Type.Number(), Type.String()]), { minItems: 2, maxItems: 2 }), {
            description:
              'Pairs of when the interval begins, in seconds since 1970, and the value as text, oldest first.',
          }),
        }),
        { description: 'The series.' },
      ),
    },
    { description: 'What was asked for.' },
  ),
});
