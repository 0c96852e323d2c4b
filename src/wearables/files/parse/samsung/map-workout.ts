import { ownProperty } from '../../../../wire/own-property.ts';
import { numberIn, type Row } from '../csv.ts';
import type { ParsedSample, ParsedSummary } from '../parsed-line.ts';

/** The sports, by Samsung's numbers of exercises. All other numbers become `other`. */
const SPORTS: Record<string, string> = {
  '1001': 'walking',
  '1002': 'running',
  '11007': 'cycling',
  '13001': 'hiking',
  '14001': 'swimming',
  '15003': 'stationary_bike',
  '15005': 'treadmill',
  '15002': 'weight_machine',
  '15006': 'elliptical',
  '9002': 'yoga',
  '10007': 'circuit_training',
};

type Moment = Pick<ParsedSample, 'provider' | 'source_type' | 'timezone_offset'> & { start: number; end: number };

/**
 * Makes a workout from a row of the table of exercises, whose times are in UTC. If the row has no end, computes it from
 * the duration in milliseconds.
 */
export function workoutOf(row: Row, { start, end, ...source }: Moment): ParsedSummary {
  const duration = numberIn(row('duration'));
  const stop = end > start ? end : start + (duration ?? 0);
  const whole = (column: string): number | undefined => {
    const value = numberIn(row(column));
    return value ? Math.round(value) : undefined;
  };
  return {
    resource: 'workouts',
    item: {
      ...source,
      provider_id: row('datauuid') || undefined,
      sport: ownProperty(SPORTS, row('exercise_type')) ?? 'other',
      time_start: new Date(start).toISOString(),
      time_end: new Date(stop).toISOString(),
      moving_time: duration === undefined ? undefined : Math.round(duration / 1_000),
      distance: numberIn(row('distance')) || undefined,
      calories: numberIn(row('calorie')) || undefined,
      average_hr: whole('mean_heart_rate'),
      max_hr: whole('max_heart_rate'),
      average_speed: numberIn(row('mean_speed')) || undefined,
      max_speed: numberIn(row('max_speed')) || undefined,
    },
  };
}
