// A valid batch for each kind of summary. A test sends all of them to the service. The people are invented.

const watch = { provider: 'apple_health_kit', source_type: 'watch', app_id: 'com.example.health' };

/** Request bodies, by operation. */
export const SUMMARY_BODIES: Readonly<Record<string, unknown[]>> = {
  push_activity: [
    {
      ...watch,
      calendar_date: '2026-01-05',
      timezone_offset: -25_200,
      calories_total: 2310.5,
      calories_active: 540.2,
      steps: 10_512,
      distance: 7_850.4,
      low: 132,
      medium: 41,
      high: 12,
      floors_climbed: 9,
      heart_rate: { avg_bpm: 74, min_bpm: 48, max_bpm: 151, resting_bpm: 55 },
    },
  ],
  push_sleep: [
    {
      ...watch,
      provider_id: 'sleep-4711',
      version: '2026-01-06T14:05:00Z',
      bedtime_start: '2026-01-05T22:45:00-07:00',
      bedtime_stop: '2026-01-06T06:30:00-07:00',
      total: 26_100,
      awake: 1_800,
      light: 14_400,
      rem: 6_000,
      deep: 5_700,
      efficiency: 93.5,
      hr_lowest: 46,
      average_hrv: 61.2,
      state: 'confirmed',
      sleep_stream: {
        heartrate: { time: [1_767_678_300, 1_767_678_600], value: [54, 51] },
        hypnogram: {
          start: [1_767_678_300, 1_767_679_200],
          end: [1_767_679_200, 1_767_681_000],
          value: [4, 2],
        },
      },
    },
  ],
  push_body: [
    {
      provider: 'withings',
      source_type: 'scale',
      timestamp: '2026-01-05T07:10:00-07:00',
      weight: 71.4,
      fat: 18.2,
      water_percentage: 58.1,
    },
  ],
  push_workouts: [
    {
      ...watch,
      provider_id: 'workout-4711',
      sport: 'trail_running',
      title: 'Before work',
      time_start: '2026-01-05T06:30:00-07:00',
      time_end: '2026-01-05T07:15:00-07:00',
      distance: 7_420.5,
      calories: 480,
      average_hr: 141,
      max_hr: 168,
      hr_zones: [0, 60, 240, 1_500, 780, 120],
      map: { polyline: '_p~iF~ps|U_ulLnnqC_mqNvxq`@', summary_polyline: '_p~iF~ps|U' },
      stream: {
        time: [1_767_619_800, 1_767_619_801, 1_767_619_802],
        heartrate: [112, null, 115],
        lat: [33.45, 33.4501, 33.4502],
        lng: [-112.07, -112.0701, -112.0702],
        distance: [0, 2.9, 5.8],
      },
    },
  ],
  push_sleep_cycle: [
    {
      ...watch,
      sleep_id: '01940000-0000-7000-8000-000000000004',
      session_start: '2026-01-05T22:45:00-07:00',
      session_end: '2026-01-06T06:30:00-07:00',
      stage_start_offset_second: [0, 900, 3_600],
      stage_end_offset_second: [900, 3_600, 5_400],
      stage_type: [4, 2, 1],
    },
  ],
  push_profile: [{ ...watch, height: 172, birth_date: '1980-12-10', sex: 'female' }],
  push_meal: [
    {
      provider: 'cronometer',
      source_type: 'app',
      timestamp: '2026-01-05T12:30:00-07:00',
      name: 'Lunch',
      energy: { unit: 'kcal', value: 620 },
      macros: { carbs: 70, protein: 28, fats: { total: 24 } },
      data: { 'Bean burrito': { energy: { unit: 'kcal', value: 620 }, micros: { minerals: { sodium: 820 } } } },
    },
  ],
  push_menstrual_cycle: [
    {
      ...watch,
      period_start: '2026-01-03',
      period_end: '2026-01-07',
      menstrual_flow: [{ date: '2026-01-03', flow: 'medium' }],
      basal_body_temperature: [{ date: '2026-01-04', value: 36.4 }],
    },
  ],
  push_electrocardiogram: [
    {
      ...watch,
      session_start: '2026-01-05T12:00:00Z',
      session_end: '2026-01-05T12:00:30Z',
      voltage_sample_count: 15_360,
      heart_rate_mean: 64,
      sampling_frequency_hz: 512,
      classification: 'sinus_rhythm',
    },
  ],
  push_device: [
    {
      ...watch,
      device_manufacturer: 'Example Watches',
      device_model: 'Trail 3',
      device_version: '3.1',
      device_id: 'SN-4711',
    },
  ],
};

/** Query values, by operation. */
const JANUARY = { start_date: '2026-01-01', end_date: '2026-01-31' };
const WITH_RAW = ['activity', 'sleep', 'body', 'workouts'];
const BY_DAY = [...WITH_RAW, 'sleep_cycle', 'meal', 'menstrual_cycle', 'electrocardiogram'];
export const SUMMARY_QUERIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = Object.fromEntries(
  [...BY_DAY, ...WITH_RAW.map((name) => `${name}_raw`)].map((name) => [`list_${name}`, JANUARY]),
);

/** Bodies that delete summaries, by operation. */
export const SUMMARY_DELETIONS: Readonly<Record<string, unknown>> = Object.fromEntries(
  [
    'activity',
    'body',
    'electrocardiogram',
    'meal',
    'menstrual_cycle',
    'profile',
    'sleep',
    'sleep_cycle',
    'workouts',
  ].map((kind) => [`delete_${kind}`, [{ provider: 'apple_health_kit', provider_id: '4711' }]]),
);
