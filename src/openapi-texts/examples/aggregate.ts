export const AGGREGATE_BODIES: Readonly<Record<string, unknown>> = {
  set_source_priorities: [{ data_type: 'sleep', providers: ['oura', 'fitbit'] }],
  query_user: {
    timeframe: { type: 'relative', anchor: '2026-01-05', past: { unit: 'week', value: 4 } },
    queries: [
      {
        select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate' } }],
        group_by: [{ date_trunc: { unit: 'week', value: 1 } }],
      },
    ],
  },
};
