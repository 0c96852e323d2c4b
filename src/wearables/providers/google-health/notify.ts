// https://developers.google.com/health/webhooks and https://developers.google.com/health/reference/rest/v4/projects.subscribers
import { isSame } from '../../../privacy/is-same.ts';
import { fieldsOf, idOf, spanOf, type Notifier, hookTokenOf } from '../notifier.ts';

/** What may have changed, by the type of data. Those that it tells nothing of come by polls. */
const TYPES: Readonly<Record<string, string[]>> = {
  steps: ['steps', 'activity'],
  distance: ['distance', 'activity'],
  floors: ['activity'],
  sleep: ['sleep'],
  exercise: ['workouts'],
  weight: ['weight', 'body'],
  'body-fat': ['fat', 'body'],
  'heart-rate': ['heartrate'],
  'heart-rate-variability': ['hrv'],
  'daily-respiratory-rate': ['respiratory_rate'],
  'blood-glucose': ['glucose'],
  'run-vo2-max': ['vo2_max'],
};
const MOST_INTERVALS = 100;

/**
 * The secret that the subscriber was made with comes as the whole `Authorization` header. The payload is signed as well, by
 * keys that Google changes: that is not looked at, since all that follows is one question to Google itself.
 */
export const notifier: Notifier = {
  headers: ['authorization'],
  isGenuine: (secret, { headers }) => isSame(headers['authorization'] ?? '', `Bearer ${hookTokenOf(secret)}`),
  // A span that has changed once can change again.
  repeats: true,
  read: ({ data }) => {
    const { healthUserId, operation, dataType, intervals } = fieldsOf(data);
    const resources = Object.hasOwn(TYPES, String(dataType)) ? TYPES[String(dataType)] : undefined;
    const owner = idOf(healthUserId);
    if (owner === null || !resources) return null;
    return { external_user_id: owner, resources, span: around(intervals), deleted: operation === 'DELETE' };
  },
};

/** From the first to the last of them. */
function around(intervals: unknown) {
  if (!Array.isArray(intervals) || intervals.length > MOST_INTERVALS) return null;
  const times = intervals.map((each) => fieldsOf(fieldsOf(each)['physicalTimeInterval']));
  const momentsOf = (name: string): number[] => times.map((time) => Date.parse(String(time[name])));
  return spanOf(Math.min(...momentsOf('startTime')), Math.max(...momentsOf('endTime')));
}
