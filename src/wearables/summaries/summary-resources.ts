import { named } from '../../wire/shape.ts';
import type { SummaryResource } from './resource.ts';
import { activity } from './resources/activity.ts';
import { body } from './resources/body.ts';
import { device } from './resources/device.ts';
import { electrocardiogram } from './resources/electrocardiogram.ts';
import { meal } from './resources/meal.ts';
import { menstrualCycle } from './resources/menstrual-cycle.ts';
import { profile } from './resources/profile.ts';
import { sleepCycle } from './resources/sleep-cycle.ts';
import { sleep } from './resources/sleep.ts';
import { workout } from './resources/workout.ts';

/**
 * Every kind of summary, in the order of the documentation. A new line here adds the operations and events of a kind.
 */
export const SUMMARIES: readonly SummaryResource[] = [
  activity,
  sleep,
  sleepCycle,
  body,
  workout,
  profile,
  meal,
  menstrualCycle,
  electrocardiogram,
  device,
];

for (const { title, shape, input } of SUMMARIES) {
  named(title, shape);
  named(`${title}Input`, input);
}
