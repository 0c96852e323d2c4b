// The invented day as samples and summaries, under the names that the wire has for them.
import type { UserRow } from '../../../users/find.ts';
import type { ProviderSlug } from '../../providers.ts';
import { seriesOrNull, type Series } from '../../resources.ts';
import type { SourceType } from '../../source.ts';
import type { SummaryItem } from '../../summaries/resource.ts';
import type { SampleOfSource } from '../../timeseries/store-samples.ts';
import { glucoseAt, heartRateAt, hoursOver, stepsOf, type DemoDay } from './day.ts';

export type DemoDevice = { provider: ProviderSlug; source_type: SourceType };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const iso = (at: number): string => new Date(at).toISOString();
const METRES_A_STEP = 0.72;
const KILOCALORIES_A_STEP = 0.042;

/** Until `now`, of `minutes` each. */
const momentsOf = (day: DemoDay, minutes: number, now: number): number[] => {
  const count = Math.ceil((day.end - day.start) / (minutes * MINUTE_MS));
  return Array.from({ length: count }, (_, n) => day.start + n * minutes * MINUTE_MS).filter(
    (at) => at <= now && at < day.end,
  );
};

function samplesOf(
  name: string,
  day: DemoDay,
  device: DemoDevice,
  values: { at: number; value: number; duration_ms?: number }[],
): SampleOfSource[] {
  const series = seriesOrNull(name) as Series;
  const source = { ...device, app_id: null, device_id: null };
  return values.map(({ at, value, duration_ms }) => ({
    series,
    source,
    kind: '',
    sample: {
      at: iso(at),
      value,
      duration_ms: series.interval ? (duration_ms ?? 0) : null,
      timezone_offset: day.timezone_offset,
      extra: null,
      text: null,
    },
  }));
}

type Samples = (day: DemoDay, device: DemoDevice, now: number) => SampleOfSource[];

const hourly =
  (name: string, valueOf: (steps: number) => number): Samples =>
  (day, device, now) =>
    samplesOf(
      name,
      day,
      device,
      hoursOver(day, now)
        .map((at) => ({ at, value: valueOf(stepsOf(day, at)), duration_ms: HOUR_MS }))
        .filter(({ value }) => value > 0),
    );

/** Samples of a day, by the name of their series. */
export const DEMO_SAMPLES: Readonly<Record<string, Samples>> = {
  heartrate: (day, device, now) =>
    samplesOf(
      'heartrate',
      day,
      device,
      momentsOf(day, 5, now).map((at) => ({ at, value: heartRateAt(day, at) })),
    ),
  hrv: (day, device, now) =>
    samplesOf(
      'hrv',
      day,
      device,
      momentsOf(day, 10, now)
        .filter((at) => at < day.wake)
        .map((at) => ({ at, value: Math.round(3_600 / heartRateAt(day, at)) })),
    ),
  glucose: (day, device, now) =>
    samplesOf(
      'glucose',
      day,
      device,
      momentsOf(day, 15, now).map((at) => ({ at, value: glucoseAt(day, at) })),
    ),
  steps: hourly('steps', (steps) => steps),
  distance: hourly('distance', (steps) => Math.round(steps * METRES_A_STEP)),
  calories_active: hourly('calories_active', (steps) => Math.round(steps * KILOCALORIES_A_STEP)),
};

type Summaries = (day: DemoDay, device: DemoDevice, now: number, user: UserRow) => SummaryItem[];

/** Summaries of a day, by the name of their kind; what has not happened yet is not among them. */
export const DEMO_SUMMARIES: Readonly<Record<string, Summaries>> = {
  activity: (day, device, now, user) => {
    const hours = hoursOver(day, now);
    if (hours.length === 0) return [];
    const steps = hours.reduce((sum, hour) => sum + stepsOf(day, hour), 0);
    const rates = momentsOf(day, 5, now).map((at) => heartRateAt(day, at));
    const active = Math.round(steps * KILOCALORIES_A_STEP);
    return [
      {
        ...device,
        calendar_date: day.date,
        time_zone: user.fallback_time_zone,
        timezone_offset: day.timezone_offset,
        steps,
        distance: Math.round(steps * METRES_A_STEP),
        calories_active: active,
        calories_total: active + hours.length * 66,
        low: Math.round(steps / 110),
        medium: Math.round(steps / 260),
        high: day.workout && day.workout.end <= now ? Math.round((day.workout.end - day.workout.start) / MINUTE_MS) : 0,
        floors_climbed: Math.round(steps / 900),
        heart_rate: {
          avg_bpm: Math.round(rates.reduce((sum, rate) => sum + rate, 0) / rates.length),
          min_bpm: Math.min(...rates),
          max_bpm: Math.max(...rates),
          resting_bpm: day.resting,
        },
      },
    ];
  },
  sleep: (day, device, now) => {
    if (day.wake > now) return [];
    const seconds = Math.round((day.wake - day.bedtime) / 1_000);
    const total = Math.round(seconds * 0.93);
    const [deep, rem] = [Math.round(total * 0.19), Math.round(total * 0.23)];
    const times = Array.from({ length: Math.floor(seconds / 300) }, (_, n) => day.bedtime + n * 300_000);
    const rates = times.map((at) => heartRateAt(day, at));
    const average = Math.round(rates.reduce((sum, rate) => sum + rate, 0) / rates.length);
    return [
      {
        ...device,
        bedtime_start: iso(day.bedtime),
        bedtime_stop: iso(day.wake),
        timezone_offset: day.timezone_offset,
        duration: seconds,
        total,
        awake: seconds - total,
        deep,
        rem,
        light: total - deep - rem,
        efficiency: Math.round((total / seconds) * 1_000) / 10,
        latency: 600,
        score: 70 + (day.resting % 25),
        hr_lowest: Math.min(...rates),
        hr_average: average,
        hr_resting: day.resting,
        average_hrv: Math.round(3_600 / average),
        respiratory_rate: 14.5,
        state: 'confirmed',
        sleep_stream: { heartrate: { time: times.map((at) => Math.floor(at / 1_000)), value: rates } },
      },
    ];
  },
  workouts: (day, device, now) => {
    const { workout } = day;
    if (!workout || workout.end > now) return [];
    const times = Array.from(
      { length: Math.floor((workout.end - workout.start) / 10_000) },
      (_, n) => workout.start + n * 10_000,
    );
    const rates = times.map((at) => heartRateAt(day, at));
    const seconds = (workout.end - workout.start) / 1_000;
    return [
      {
        ...device,
        provider_id: `demo-${workout.start}`,
        sport: workout.sport,
        title: workout.title,
        time_start: iso(workout.start),
        time_end: iso(workout.end),
        timezone_offset: day.timezone_offset,
        distance: workout.metres,
        calories: workout.kilocalories,
        moving_time: seconds,
        average_hr: Math.round(rates.reduce((sum, rate) => sum + rate, 0) / rates.length),
        max_hr: Math.max(...rates),
        average_speed: Math.round((workout.metres / seconds) * 100) / 100,
        stream: {
          time: times.map((at) => Math.floor(at / 1_000)),
          heartrate: rates,
          distance: times.map((_, n) => Math.round((workout.metres * n) / times.length)),
          velocity_smooth: times.map(() => Math.round((workout.metres / seconds) * 100) / 100),
        },
      },
    ];
  },
  meal: (day, device, now) =>
    day.meals
      .filter(({ at }) => at <= now)
      .map(({ at, name, carbohydrates, kilocalories }) => ({
        ...device,
        timestamp: iso(at),
        timezone_offset: day.timezone_offset,
        name,
        energy: { unit: 'kcal', value: kilocalories },
        macros: { carbs: carbohydrates, protein: Math.round(carbohydrates * 0.4) },
      })),
  body: (day, device, now) => {
    const at = day.wake + 15 * MINUTE_MS;
    if (at > now) return [];
    return [{ ...device, timestamp: iso(at), timezone_offset: day.timezone_offset, weight: day.weight, fat: 22.5 }];
  },
};
