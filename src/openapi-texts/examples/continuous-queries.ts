const MEAN_BY_WEEK = {
  title: 'Heart rate by week',
  slug: 'heart_rate_by_week',
  timeframe: { type: 'relative', past: { unit: 'week', value: 4 } },
  query: {
    select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate' } }],
    group_by: [{ date_trunc: { unit: 'week', value: 1 } }],
  },
};

export const CONTINUOUS_QUERY_BODIES: Readonly<Record<string, unknown>> = {
  create_continuous_query: MEAN_BY_WEEK,
  validate_continuous_query: MEAN_BY_WEEK,
  patch_continuous_query: { title: 'Resting heart rate', active: false },
};
