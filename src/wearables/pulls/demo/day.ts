// The day of an invented person: the times of sleep, exercise and meals, and the heart rate and glucose that result
// from them. All of it follows from the user's id and the date, so a sandbox always shows the same data.
import type { UserRow } from '../../../users/find.ts';
import { dayEdges } from '../../calendar-date.ts';
import { chanceOf } from './chance.ts';
import { clockOfEvening, illnessOn, isWeekend, nextDate, offsetOn, dayOfPeriod } from './demo-calendar.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/**
 * The hour, by the clock of the morning, at which the time zone changes on a day of travel. The person wakes before
 * this hour. Even the shortest day of travel has some hours after it.
 */
const JOURNEY_HOUR = 10;

type DemoWorkout = {
  sport: string;
  start: number;
  end: number;
  metres: number;
  kilocalories: number;
  title: string;
};
type DemoMeal = { at: number; name: string; carbohydrates: number; kilocalories: number };

/** A day. All moments are milliseconds since 1970. */
export type DemoDay = {
  date: string;
  user: Pick<UserRow, 'id' | 'fallback_time_zone'>;
  /** The beginning of the night that ended on this day. */
  bedtime: number;
  wake: number;
  /** The beginning of the local day, and of the next one. Each is in the zone in which the person is then. */
  start: number;
  end: number;
  /** Returns the offset from UTC in seconds at a moment; null at home, if the user's zone is not known. */
  offsetAt: (at: number) => number | null;
  /** The time zone in which the person goes to bed; null if it is not known. */
  time_zone: string | null;
  /** How ill the person is, from 0 (well) to 1. */
  illness: number;
  weekend: boolean;
  resting: number;
  /** The steps in each hour of the day, without the steps of a workout. */
  stepsOfHour: number[];
  workout: DemoWorkout | null;
  meals: DemoMeal[];
  weight: number;
};

const SPORTS = [
  { sport: 'running', metresAMinute: 165, kilocaloriesAMinute: 11, title: 'Run' },
  { sport: 'cycling', metresAMinute: 400, kilocaloriesAMinute: 9, title: 'Ride' },
  { sport: 'walking', metresAMinute: 85, kilocaloriesAMinute: 5, title: 'Walk' },
] as const;
const SWIM = { sport: 'swimming', metresAMinute: 34, kilocaloriesAMinute: 9, title: 'Swim' } as const;
const HIKE = { sport: 'hiking', metresAMinute: 70, kilocaloriesAMinute: 7, title: 'Hike' } as const;
type Sport = (typeof SPORTS)[number] | typeof SWIM | typeof HIKE;

const MEALS = [
  { hour: 7.6, names: ['Oatmeal with berries', 'Eggs and toast', 'Yoghurt with granola'], grams: [35, 60] },
  { hour: 12.6, names: ['Lentil soup', 'Chicken salad', 'Vegetable wrap'], grams: [40, 80] },
  { hour: 18.8, names: ['Pasta with vegetables', 'Salmon with rice', 'Tacos'], grams: [50, 95] },
] as const;
const WEEK_DAYS = 7;

export function demoDay(user: DemoDay['user'], date: string): DemoDay {
  const [morning, evening] = [clockOfEvening(user, nextDate(date, -1)), clockOfEvening(user, date)];
  const start = Date.parse(dayEdges(date, morning).start);
  const end = Date.parse(dayEdges(date, evening).end);
  const knows = (zone: string | null, seconds: number): number | null => (zone === null ? null : seconds);
  const before = knows(morning.time_zone, offsetOn(date, morning));
  const after = knows(evening.time_zone, offsetOn(date, evening));
  const offsetAt = (at: number): number | null => (at < start + JOURNEY_HOUR * HOUR_MS ? before : after);

  const person = chanceOf(user.id, 'person');
  const chance = chanceOf(user.id, date);
  const [illness, weekend] = [illnessOn(user, date), isWeekend(date)];
  const resting = person.whole(50, 64) + chance.whole(-2, 3) + Math.round(9 * illness);
  const usualWeight = person.between(58, 92);
  const late = weekend ? 1.1 : 0;
  const wake = start + (chance.between(6.2, 7.4) + late + illness) * HOUR_MS;
  const workoutChance = chanceOf(user.id, date, 'workout');
  const isSwim = dayOfPeriod(user, date, WEEK_DAYS, 'swim') === 0;
  const goes = illness === 0 && workoutChance.between(0, 1) < (weekend ? 0.7 : 0.45);
  const hours = Math.round((end - start) / HOUR_MS);
  return {
    date,
    user,
    start,
    end,
    bedtime: start - (chance.between(0.3, 1.6) - late * 0.6 + illness) * HOUR_MS,
    wake: Math.round(wake / MINUTE_MS) * MINUTE_MS,
    offsetAt,
    time_zone: evening.time_zone,
    illness,
    weekend,
    resting,
    stepsOfHour: Array.from({ length: hours }, (_, n) => {
      const moment = start + n * HOUR_MS;
      const hour = (((moment / 1_000 + (offsetAt(moment) ?? 0)) % 86_400) / 3_600 + 24) % 24;
      const isAwake = moment >= wake && hour >= 6 && hour <= 21;
      return isAwake ? Math.round(chance.whole(80, 950) * busyness(hour, weekend) * (1 - 0.7 * illness)) : 0;
    }),
    workout: goes || (isSwim && illness === 0) ? workoutOf(workoutChance, start, { weekend, isSwim }) : null,
    meals: MEALS.map(({ hour, names, grams }, index) => {
      const meal = chanceOf(user.id, date, 'meal', String(index));
      const carbohydrates = Math.round(meal.whole(grams[0], grams[1]) * (1 - 0.3 * illness));
      return {
        at: start + Math.round((hour + (index === 0 ? late : 0) + meal.between(-0.5, 0.7)) * 60) * MINUTE_MS,
        name: names[meal.whole(0, names.length - 1)] as string,
        carbohydrates,
        kilocalories: carbohydrates * 4 + meal.whole(150, 350),
      };
      // A day on which the person flew east is short, so its last meals may not fit.
    }).filter(({ at }) => at < end - 2 * HOUR_MS),
    weight: Math.round((usualWeight + chance.between(-0.6, 0.6) - 0.8 * illness) * 10) / 10,
  };
}

/**
 * Returns how busy an hour is, as a factor of its steps. On weekdays there are more steps on the way to work and back,
 * at the weekend in the middle of the day.
 */
function busyness(hour: number, weekend: boolean): number {
  if (weekend) return hour >= 10 && hour <= 17 ? 1.5 : 0.7;
  return [8, 12, 17, 18].includes(Math.floor(hour)) ? 1.6 : 0.8;
}

function workoutOf(
  chance: ReturnType<typeof chanceOf>,
  start: number,
  { weekend, isSwim }: { weekend: boolean; isSwim: boolean },
): DemoWorkout {
  const sports: readonly Sport[] = isSwim ? [SWIM] : weekend ? [...SPORTS, HIKE] : SPORTS;
  const { sport, metresAMinute, kilocaloriesAMinute, title } = sports[chance.whole(0, sports.length - 1)] as Sport;
  const minutes = Math.round(chance.whole(25, 55) * (weekend && !isSwim ? 1.8 : 1));
  // Even on the shortest day of travel, the workout ends before the day does.
  const begin = start + Math.round((weekend ? chance.between(9.5, 10.5) : chance.between(12.5, 13.5)) * 60) * MINUTE_MS;
  return {
    sport,
    start: begin,
    end: begin + minutes * MINUTE_MS,
    metres: Math.round(minutes * metresAMinute * chance.between(0.9, 1.1)),
    kilocalories: Math.round(minutes * kilocaloriesAMinute),
    title: `${weekend ? 'Weekend' : 'Lunch'} ${title.toLowerCase()}`,
  };
}

/** Returns the heart rate in beats a minute at a moment of the day or of the night before it. */
export function heartRateAt(day: DemoDay, at: number): number {
  const chance = chanceOf(day.date, String(at), String(day.resting));
  const { workout } = day;
  if (workout && at >= workout.start && at < workout.end) {
    const warm = Math.min(1, (at - workout.start) / (8 * MINUTE_MS));
    return Math.round(day.resting + 30 + 58 * warm + chance.between(-5, 5));
  }
  if (at >= day.bedtime && at < day.wake) return Math.round(day.resting + chance.between(-4, 5));
  const steps = day.stepsOfHour[Math.floor((at - day.start) / HOUR_MS)] ?? 0;
  return Math.round(day.resting + 12 + steps / 45 + chance.between(-4, 7));
}

/** Returns the glucose in millimoles per litre: a steady level, plus a rise of one or two hours after each meal. */
export function glucoseAt(day: DemoDay, at: number): number {
  const chance = chanceOf(day.date, 'glucose', String(at), String(day.resting));
  const hills = day.meals.reduce((sum, meal) => {
    const minutes = (at - meal.at) / MINUTE_MS;
    return minutes < 0 ? sum : sum + (meal.carbohydrates / 22) * (minutes / 45) * Math.exp(1 - minutes / 45);
  }, 0);
  return Math.round((4.9 + 0.6 * day.illness + hills + chance.between(-0.15, 0.15)) * 10) / 10;
}

/**
 * Returns the stages of the night, in seconds since 1970. A cycle of stages has some 90 minutes, and the first cycles
 * have more deep sleep.
 */
export function stagesOf(day: DemoDay): { start: number; end: number; value: number }[] {
  const chance = chanceOf(day.user.id, day.date, 'stages');
  const last = Math.floor(day.wake / 1_000);
  const stages: { start: number; end: number; value: number }[] = [];
  let at = Math.ceil(day.bedtime / 1_000);
  const lie = (value: number, minutes: number): void => {
    const end = Math.min(at + Math.max(Math.round(minutes), 2) * 60, last);
    if (end > at) stages.push({ start: at, end, value });
    at = end;
  };
  lie(4, chance.between(6, 14));
  for (let round = 0; at < last; round += 1) {
    lie(2, chance.between(18, 32));
    lie(1, chance.between(24, 34) - round * 6);
    lie(2, chance.between(14, 24));
    lie(3, chance.between(8, 14) + round * 5);
    lie(4, chance.between(1, 4) + 6 * day.illness);
  }
  return stages;
}

/** Returns the steps of the hour that begins at the moment `hour`, including those of a workout. */
export function stepsOf(day: DemoDay, hour: number): number {
  const plain = day.stepsOfHour[Math.floor((hour - day.start) / HOUR_MS)] ?? 0;
  const { workout } = day;
  if (!workout || ['cycling', 'swimming'].includes(workout.sport)) return plain;
  const within = Math.max(0, Math.min(workout.end, hour + HOUR_MS) - Math.max(workout.start, hour));
  return plain + Math.round((within / (workout.end - workout.start)) * (workout.metres / 0.8));
}

/** Returns the starts of those hours of the day that have ended at `now`. */
export const hoursOver = (day: DemoDay, now: number): number[] =>
  Array.from({ length: Math.round((day.end - day.start) / HOUR_MS) }, (_, n) => day.start + n * HOUR_MS).filter(
    (hour) => hour + HOUR_MS <= now,
  );

/** Returns moments of the day up to `now`, `minutes` apart. */
export const momentsOf = (day: DemoDay, minutes: number, now: number): number[] =>
  Array.from(
    { length: Math.ceil((day.end - day.start) / (minutes * MINUTE_MS)) },
    (_, n) => day.start + n * minutes * MINUTE_MS,
  ).filter((at) => at <= now && at < day.end);
