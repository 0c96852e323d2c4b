// The summaries of an invented day, with the fields of the API.
import type { UserRow } from '../../../users/find.ts';
import type { SummaryItem } from '../../summaries/resource.ts';
import { hypnogramOf } from '../../providers/responses/sleep-stream.ts';
import { chanceOf } from './chance.ts';
import { nextDate, dayOfPeriod } from './demo-calendar.ts';
import { heartRateAt, HOUR_MS, hoursOver, MINUTE_MS, momentsOf, stagesOf, stepsOf, type DemoDay } from './day.ts';
import type { DemoDevice } from './demo-devices.ts';
import { BASAL_KILOCALORIES_AN_HOUR, ECG, ecgOf, KILOCALORIES_A_STEP, METRES_A_STEP } from './demo-samples.ts';

type Summaries = (day: DemoDay, device: DemoDevice, now: number, user: UserRow) => SummaryItem[];

const CYCLE_DAYS = 28;
const PERIOD_DAYS = 5;
const HEIGHT_CENTIMETRES = 170;
const STREAM_SECONDS = 10;

const iso = (at: number): string => new Date(at).toISOString();
const secondsOf = (at: number): number => Math.floor(at / 1_000);
const mean = (values: number[]): number => Math.round(values.reduce((sum, each) => sum + each, 0) / values.length);

/** The functions that make the summaries of a day, by the kind of summary. They make no summary of a later time. */
export const DEMO_SUMMARIES: Readonly<Record<string, Summaries>> = {
  profile: (_day, device) => [{ ...device, height: HEIGHT_CENTIMETRES, sex: 'female', birth_date: '1990-05-14' }],
  activity: (day, device, now) => {
    const hours = hoursOver(day, now);
    if (hours.length === 0) return [];
    const steps = hours.reduce((sum, hour) => sum + stepsOf(day, hour), 0);
    const rates = momentsOf(day, 5, now).map((at) => heartRateAt(day, at));
    const { workout } = day;
    const active = Math.round(steps * KILOCALORIES_A_STEP);
    return [
      {
        ...device,
        calendar_date: day.date,
        time_zone: day.time_zone,
        timezone_offset: day.offsetAt(day.end - 1),
        steps,
        distance: Math.round(steps * METRES_A_STEP),
        calories_active: active,
        calories_total: active + hours.length * BASAL_KILOCALORIES_AN_HOUR,
        low: Math.round(steps / 110),
        medium: Math.round(steps / 260),
        high: workout && workout.end <= now ? Math.round((workout.end - workout.start) / MINUTE_MS) : 0,
        floors_climbed: hours.reduce((sum, hour) => sum + Math.floor(stepsOf(day, hour) / 450), 0),
        heart_rate: {
          avg_bpm: mean(rates),
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
    const stages = stagesOf(day);
    const lasted = (value: number): number =>
      stages.filter((each) => each.value === value).reduce((sum, { start, end }) => sum + end - start, 0);
    const [deep, light, rem] = [lasted(1), lasted(2), lasted(3)];
    const total = deep + light + rem;
    const times = Array.from({ length: Math.floor(seconds / 300) }, (_, n) => day.bedtime + n * 300_000);
    const rates = times.map((at) => heartRateAt(day, at));
    const average = mean(rates);
    const hrv = (rate: number): number => Math.round((3_600 / rate) * (1 - 0.25 * day.illness));
    const first = stages[0];
    return [
      {
        ...device,
        calendar_date: day.date,
        bedtime_start: iso(day.bedtime),
        bedtime_stop: iso(day.wake),
        timezone_offset: day.offsetAt(day.wake),
        duration: seconds,
        total,
        awake: seconds - total,
        deep,
        light,
        rem,
        efficiency: Math.round((total / seconds) * 1_000) / 10,
        latency: first && first.value === 4 ? first.end - first.start : 0,
        score: Math.round(86 - 30 * day.illness - (day.resting % 9)),
        recovery_readiness_score: Math.round(82 - 38 * day.illness - (day.resting % 7)),
        hr_lowest: Math.min(...rates),
        hr_average: average,
        hr_resting: day.resting,
        average_hrv: hrv(average),
        respiratory_rate: Math.round((14.4 + 2.5 * day.illness) * 10) / 10,
        temperature_delta: Math.round(0.9 * day.illness * 10) / 10,
        state: 'confirmed',
        sleep_stream: {
          heartrate: { time: times.map(secondsOf), value: rates },
          hrv: { time: times.map(secondsOf), value: rates.map(hrv) },
          hypnogram: hypnogramOf(stages),
        },
      },
    ];
  },
  workouts: (day, device, now) => {
    const { workout } = day;
    if (!workout || workout.end > now) return [];
    const every = STREAM_SECONDS * 1_000;
    const times = Array.from(
      { length: Math.floor((workout.end - workout.start) / every) },
      (_, n) => workout.start + n * every,
    );
    const rates = times.map((at) => heartRateAt(day, at));
    const seconds = (workout.end - workout.start) / 1_000;
    const speed = Math.round((workout.metres / seconds) * 100) / 100;
    return [
      {
        ...device,
        provider_id: `demo-${workout.start}`,
        sport: workout.sport,
        title: workout.title,
        time_start: iso(workout.start),
        time_end: iso(workout.end),
        timezone_offset: day.offsetAt(workout.start),
        distance: workout.metres,
        calories: workout.kilocalories,
        moving_time: seconds,
        average_hr: mean(rates),
        max_hr: Math.max(...rates),
        average_speed: speed,
        stream: {
          time: times.map(secondsOf),
          heartrate: rates,
          distance: times.map((_, n) => Math.round((workout.metres * n) / times.length)),
          velocity_smooth: times.map(() => speed),
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
        timezone_offset: day.offsetAt(at),
        name,
        energy: { unit: 'kcal', value: kilocalories },
        macros: { carbs: carbohydrates, protein: Math.round(carbohydrates * 0.4) },
      })),
  body: (day, device, now) => {
    const at = day.wake + 15 * MINUTE_MS;
    if (at > now) return [];
    const fat = Math.round(chanceOf(day.user.id, 'fat').between(19, 29) * 10) / 10;
    return [
      {
        ...device,
        timestamp: iso(at),
        timezone_offset: day.offsetAt(at),
        weight: day.weight,
        fat,
        lean_body_mass_kilogram: Math.round(day.weight * (1 - fat / 100) * 10) / 10,
        body_mass_index: Math.round((day.weight / (HEIGHT_CENTIMETRES / 100) ** 2) * 10) / 10,
      },
    ];
  },
  electrocardiogram: (day, device, now) => {
    const at = ecgOf(day);
    if (at === null || at + ECG.seconds * 1_000 > now) return [];
    return [
      {
        ...device,
        session_start: iso(at),
        session_end: iso(at + ECG.seconds * 1_000),
        timezone_offset: day.offsetAt(at),
        time_zone: day.time_zone,
        voltage_sample_count: ECG.seconds * ECG.perSecond,
        sampling_frequency_hz: ECG.perSecond,
        heart_rate_mean: 60,
        classification: 'sinus_rhythm',
      },
    ];
  },
  menstrual_cycle: (day, device, now, user) => {
    if (day.start + 12 * HOUR_MS > now) return [];
    const dayOfCycle = dayOfPeriod(user, day.date, CYCLE_DAYS, 'cycle');
    const period_start = nextDate(day.date, -dayOfCycle);
    const bled = Array.from({ length: Math.min(dayOfCycle + 1, PERIOD_DAYS) }, (_, n) => nextDate(period_start, n));
    return [
      {
        ...device,
        period_start,
        period_end: dayOfCycle + 1 >= PERIOD_DAYS ? nextDate(period_start, PERIOD_DAYS - 1) : null,
        cycle_end: dayOfCycle === CYCLE_DAYS - 1 ? day.date : null,
        menstrual_flow: bled.map((date, n) => ({ date, flow: ['medium', 'heavy', 'medium', 'light', 'light'][n] })),
      },
    ];
  },
};
