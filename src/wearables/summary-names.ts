/**
 * The names of all kinds of summaries in rows, events and /aggregate. `summaries/resources/` has a file for each kind.
 */
export const SUMMARY_NAMES = [
  'activity',
  'body',
  'device',
  'electrocardiogram',
  'meal',
  'menstrual_cycle',
  'profile',
  'sleep',
  'sleep_cycle',
  'workouts',
];
