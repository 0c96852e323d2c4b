// An invented person's day: when they slept, moved and ate, and what that does to their heart and their glucose. Everything
// follows from the user's id and the day, so that a sandbox shows the same data again.
import type { UserRow } from '../../../users/find.ts';
import { dayEdges } from '../../calendar-date.ts';
import { chanceOf } from './chance.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type DemoWorkout = {
  sport: string;
  start: number;
  end: number;
  metres: number;
  kilocalories: number;
  title: string;
};
type DemoMeal = { at: number; name: string; carbohydrates: number; kilocalories: number };

/** Moments are milliseconds since 1970. */
export type DemoDay = {
  date: string;
  /** The night before: it belongs to this day, on which the person woke. */
  bedtime: number;
  wake: number;
  /** Begin of the local day and of the next one. */
  start: number;
  end: number;
  /** Seconds east of UTC; null where the user's zone is not known. */
  timezone_offset: number | null;
  resting: number;
  /** Steps of each hour of the day, without those of a workout. */
  stepsOfHour: number[];
  workout: DemoWorkout | null;
  meals: DemoMeal[];
  weight: number;
};

const SPORTS = [
  { sport: 'running', metresAMinute: 165, kilocaloriesAMinute: 11, title: 'Morning run' },
  { sport: 'cycling', metresAMinute: 400, kilocaloriesAMinute: 9, title: 'Ride' },
  { sport: 'walking', metresAMinute: 85, kilocaloriesAMinute: 5, title: 'Walk' },
] as const;
const MEALS = [
  { hour: 7.6, names: ['Oatmeal with berries', 'Eggs and toast', 'Yoghurt with granola'], grams: [35, 60] },
  { hour: 12.6, names: ['Bean burrito', 'Chicken salad', 'Lentil soup with bread'], grams: [40, 80] },
  { hour: 18.8, names: ['Pasta with vegetables', 'Salmon with rice', 'Tacos'], grams: [50, 95] },
] as const;

export function demoDay(user: UserRow, date: string): DemoDay {
  const edges = dayEdges(date, { timezone_offset: null, time_zone: user.fallback_time_zone });
  const [start, end] = [Date.parse(edges.start), Date.parse(edges.end)];
  const person = chanceOf(user.id, 'person');
  const chance = chanceOf(user.id, date);
  const resting = person.whole(50, 64) + chance.whole(-2, 3);
  const usualWeight = person.between(58, 92);
  const wake = start + chance.between(6.2, 7.6) * HOUR_MS;
  const workoutChance = chanceOf(user.id, date, 'workout');
  return {
    date,
    start,
    end,
    bedtime: start - chance.between(0.2, 1.6) * HOUR_MS,
    wake: Math.round(wake / MINUTE_MS) * MINUTE_MS,
    timezone_offset: user.fallback_time_zone === null ? null : (Date.parse(date) - start) / 1_000,
    resting,
    stepsOfHour: Array.from({ length: 24 }, (_, hour) => (hour < 7 || hour > 21 ? 0 : chance.whole(80, 950))),
    workout: workoutChance.between(0, 1) < 0.45 ? workoutOf(workoutChance, start) : null,
    meals: MEALS.map(({ hour, names, grams }, index) => {
      const meal = chanceOf(user.id, date, 'meal', String(index));
      const carbohydrates = meal.whole(grams[0], grams[1]);
      return {
        at: start + Math.round((hour + meal.between(-0.5, 0.7)) * 60) * MINUTE_MS,
        name: names[meal.whole(0, names.length - 1)] as string,
        carbohydrates,
        kilocalories: carbohydrates * 4 + meal.whole(150, 350),
      };
    }),
    weight: Math.round((usualWeight + chance.between(-0.6, 0.6)) * 10) / 10,
  };
}

function workoutOf(chance: ReturnType<typeof chanceOf>, start: number): DemoWorkout {
  const { sport, metresAMinute, kilocaloriesAMinute, title } = SPORTS[
    chance.whole(0, SPORTS.length - 1)
  ] as (typeof SPORTS)[number];
  const minutes = chance.whole(25, 55);
  const begin = start + Math.round(chance.between(16, 18) * 60) * MINUTE_MS;
  return {
    sport,
    start: begin,
    end: begin + minutes * MINUTE_MS,
    metres: Math.round(minutes * metresAMinute * chance.between(0.9, 1.1)),
    kilocalories: Math.round(minutes * kilocaloriesAMinute),
    title,
  };
}

/** Beats a minute at a moment of the day or of the night before it. */
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

/** Millimoles a litre: a quiet line, and a hill of an hour or two after each meal. */
export function glucoseAt(day: DemoDay, at: number): number {
  const chance = chanceOf(day.date, 'glucose', String(at), String(day.resting));
  const hills = day.meals.reduce((sum, meal) => {
    const minutes = (at - meal.at) / MINUTE_MS;
    return minutes < 0 ? sum : sum + (meal.carbohydrates / 22) * (minutes / 45) * Math.exp(1 - minutes / 45);
  }, 0);
  return Math.round((4.9 + hills + chance.between(-0.15, 0.15)) * 10) / 10;
}

const isWithin = (at: number, from: number, to: number): boolean => at >= from && at < to;

/** Steps of the hour that begins at `hour`, a workout's among them. */
export function stepsOf(day: DemoDay, hour: number): number {
  const plain = day.stepsOfHour[Math.floor((hour - day.start) / HOUR_MS)] ?? 0;
  const { workout } = day;
  if (!workout || workout.sport === 'cycling') return plain;
  const within = Math.max(0, Math.min(workout.end, hour + HOUR_MS) - Math.max(workout.start, hour));
  return plain + Math.round((within / (workout.end - workout.start)) * (workout.metres / 0.8));
}

/** What has happened of the day until `now`: an hour counts when it is over. */
export const hoursOver = (day: DemoDay, now: number): number[] =>
  Array.from({ length: Math.round((day.end - day.start) / HOUR_MS) }, (_, n) => day.start + n * HOUR_MS).filter(
    (hour) => isWithin(hour + HOUR_MS, day.start, now + 1),
  );
