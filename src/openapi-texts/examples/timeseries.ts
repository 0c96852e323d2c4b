export const TIMESERIES_BODIES: Readonly<Record<string, unknown>> = {
  delete_samples: [
    { provider: 'apple_health_kit', record_id: '0C9A5C9E-8A0B-4C42-9A2B-0A2F1D6C7B11' },
    {
      resource: 'heartrate',
      provider: 'apple_health_kit',
      source_type: 'watch',
      start: '2026-01-05T07:00:00Z',
      end: '2026-01-05T08:00:00Z',
    },
  ],
  push_samples: [
    {
      resource: 'heartrate',
      provider: 'apple_health_kit',
      source_type: 'watch',
      timestamp: '2026-01-05T07:30:00Z',
      timezone_offset: -25_200,
      unit: 'bpm',
      value: 61,
    },
  ],
};
