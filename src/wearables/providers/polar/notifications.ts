// https://www.polar.com/accesslink-api/#webhooks
import { hasOurToken, idOf, spanOfDay, type NotificationReader } from '../notification-reader.ts';

/**
 * The resources that may have changed, by the event in the notification. Polar always returns complete lists of
 * exercises and nights. So the day in such a notification is not needed.
 */
const EVENTS: Readonly<Record<string, string[]>> = {
  EXERCISE: ['workouts', 'workout_stream'],
  SLEEP: ['sleep', 'hrv', 'respiratory_rate'],
  CONTINUOUS_HEART_RATE: ['heartrate'],
  ACTIVITY_SUMMARY: ['activity'],
  PHYSICAL_INFORMATION: ['body'],
};
const OF_A_DAY = new Set(['CONTINUOUS_HEART_RATE', 'ACTIVITY_SUMMARY']);

/**
 * Polar signs with a key that it shows only once, to the operator who creates the webhook. We do not have this key. So
 * the address with our token proves the sender. Polar sends a PING to test the address; it needs only a response.
 */
export const notificationReader: NotificationReader = {
  headers: [],
  isGenuine: hasOurToken,
  read: ({ event, user_id, date }) => {
    const resources = Object.hasOwn(EVENTS, String(event)) ? EVENTS[String(event)] : undefined;
    const owner = idOf(user_id);
    if (!resources || owner === null) return null;
    return { external_user_id: owner, resources, span: OF_A_DAY.has(String(event)) ? spanOfDay(date) : null };
  },
};
