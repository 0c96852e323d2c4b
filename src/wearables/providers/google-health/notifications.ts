// https://developers.google.com/health/webhooks and
// https://developers.google.com/health/reference/rest/v4/projects.subscribers
import { equalInConstantTime } from '../../../privacy/equal-in-constant-time.ts';
import { fieldsOf, idOf, spanOf, type NotificationReader, hookTokenOf } from '../notification-reader.ts';

/**
 * The resources that may have changed, by the data type in a notification. Other resources have no notifications and
 * come by polls.
 */
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
const MAX_INTERVALS = 100;

/**
 * The secret that we set for the subscriber (Google's word for a subscription) is the whole `Authorization` header of
 * each notification. Google also signs the payload, with keys that it changes. We do not check this signature: a
 * notification only makes us ask Google, so a false one does little harm.
 */
export const notificationReader: NotificationReader = {
  headers: ['authorization'],
  isGenuine: (secret, { headers }) =>
    equalInConstantTime(headers['authorization'] ?? '', `Bearer ${hookTokenOf(secret)}`),
  // The data of a span of time can change several times. Then each notification about the span has the same text.
  repeats: true,
  read: ({ data }) => {
    const { healthUserId, operation, dataType, intervals } = fieldsOf(data);
    const resources = Object.hasOwn(TYPES, String(dataType)) ? TYPES[String(dataType)] : undefined;
    const owner = idOf(healthUserId);
    if (owner === null || !resources) return null;
    return { external_user_id: owner, resources, span: around(intervals), deleted: operation === 'DELETE' };
  },
};

/** Returns the span from the start of the first interval to the end of the last one. */
function around(intervals: unknown) {
  if (!Array.isArray(intervals) || intervals.length > MAX_INTERVALS) return null;
  const times = intervals.map((each) => fieldsOf(fieldsOf(each)['physicalTimeInterval']));
  const momentsOf = (name: string): number[] => times.map((time) => Date.parse(String(time[name])));
  return spanOf(Math.min(...momentsOf('startTime')), Math.max(...momentsOf('endTime')));
}
