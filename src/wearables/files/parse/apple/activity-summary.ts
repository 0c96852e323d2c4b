import type { ParsedSummary } from '../parsed-line.ts';
import type { Element } from '../xml.ts';
import { KILOCALORIES } from './unit-factors.ts';

/** The heart rates that an Apple Watch computes once for a day. */
export type HeartOfDay = { resting_bpm?: number; avg_walking_bpm?: number };

/**
 * Returns the activity rings of a day, which are Apple's goals for moving, exercise and standing. Returns null if all
 * rings are empty, as on days before the user had a watch.
 */
export function ringsOf(attributes: Element['attributes'], heart: HeartOfDay | undefined): ParsedSummary | null {
  const number = (name: string, factor = 1): number | undefined => {
    const value = Number(attributes[name] || NaN) * factor;
    return Number.isFinite(value) ? value : undefined;
  };
  const whole = (name: string): number | undefined => {
    const value = number(name);
    return value === undefined ? undefined : Math.round(value);
  };
  const energy = KILOCALORIES[attributes['activeEnergyBurnedUnit'] ?? 'Cal'] ?? NaN;
  // Older phones export the move time as appleMoveMinutes.
  const move = 'appleMoveTime' in attributes ? 'appleMoveTime' : 'appleMoveMinutes';
  const rings = {
    calories_active: number('activeEnergyBurned', energy),
    exercise_minutes: number('appleExerciseTime'),
    stand_hours: whole('appleStandHours'),
    move_minutes: number(move) || undefined,
  };
  if (!Object.values(rings).some((value) => value)) return null;
  return {
    resource: 'activity',
    item: {
      provider: 'apple_health_kit',
      source_type: 'multiple_sources',
      calendar_date: attributes['dateComponents'],
      ...rings,
      calories_active_goal: number('activeEnergyBurnedGoal', energy) || undefined,
      exercise_minutes_goal: number('appleExerciseTimeGoal') || undefined,
      stand_hours_goal: whole('appleStandHoursGoal') || undefined,
      move_minutes_goal: number(`${move}Goal`) || undefined,
      heart_rate: heart,
    },
  };
}
