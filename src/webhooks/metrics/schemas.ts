import { Type } from 'typebox';
import { LowerBound, nullable, oneOf, Timestamp, UpperBound, withDefault } from '../../wire/schema.ts';
import { IN_RANGE, INTERVALS } from './metrics-range.ts';
import { shape } from '../../wire/shape.ts';

const Interval = (description: string) => withDefault(oneOf(INTERVALS, { description }), '1h');

export const MetricsQuery = Type.Object(
  {
    since: Type.Optional(
      Type.Unsafe<string>({
        ...LowerBound,
        description: 'Without it a day before `until`, or 30 days when the interval is a day.',
      }),
    ),
    until: Type.Optional(Type.Unsafe<string>({ ...UpperBound, description: 'Without it now.' })),
    interval: Interval('The time that an entry of `data` covers.'),
  },
  { fulfils: IN_RANGE },
);

const Count = (description: string) => Type.Integer({ description });
const Milliseconds = (description: string) => nullable(Type.Number({ description }));

const figures = {
  attempts: Count('All attempts, first ones and retries.'),
  succeeded: Count('Attempts with a 2xx response.'),
  failed: Count('All other attempts.'),
  success_rate: nullable(
    Type.Number({ description: 'The part of the attempts that succeeded, 0 to 1. Null without attempts.' }),
  ),
  latency_ms: Type.Object(
    {
      p50: Milliseconds('Half of the attempts ended within this time.'),
      p95: Milliseconds('95 of 100 attempts ended within this time.'),
      p99: Milliseconds('99 of 100 attempts ended within this time.'),
    },
    {
      description:
        'The durations of attempts in milliseconds, whatever their result. They come from counts in buckets, of ' +
        'which each is at most twice as long as the one before. Null without attempts.',
    },
  ),
};

export const WebhookMetrics = shape('WebhookMetrics', {
  interval: oneOf(INTERVALS, { description: 'The time that an entry of `data` covers.' }),
  since: Type.Unsafe<string>({ ...Timestamp, description: 'The start of the first interval.' }),
  until: Type.Unsafe<string>({ ...Timestamp, description: 'The end of the last interval.' }),
  total: Type.Object(figures, { description: 'The figures of the whole time.' }),
  data: Type.Array(
    Type.Object({
      start: Type.Unsafe<string>({ ...Timestamp, description: 'The start of the interval.' }),
      ...figures,
    }),
    { description: 'Each interval from the first to the last, also those without attempts.' },
  ),
});

export const EventDeliveryQuery = Type.Object({
  interval: Interval('The step between two values: 5m covers a day, 15m 3 days, 1h 7 days, and 1d 30 days.'),
});

/** The response of Prometheus to a range query. Each value is a pair: the time in seconds, and a number as text. */
export const PrometheusMatrix = shape('PrometheusMatrix', {
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
              '`__name__` is event_delivery_attempts, with `outcome` succeeded or failed, or ' +
              'event_delivery_duration_seconds, with `quantile` 0.5, 0.95 or 0.99.',
          }),
          values: Type.Array(Type.Array(Type.Union([Type.Number(), Type.String()]), { minItems: 2, maxItems: 2 }), {
            description:
              'Pairs of the start of the interval, in seconds since 1970, and the value as text, the oldest first.',
          }),
        }),
        { description: 'The series.' },
      ),
    },
    { description: 'The result of the query.' },
  ),
});
