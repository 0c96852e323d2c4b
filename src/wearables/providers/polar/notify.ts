// https://www.polar.com/accesslink-api/#webhooks
import { hasOurToken, idOf, spanOfDay, type Notifier } from '../notifier.ts';

/** What may have changed, by what has happened; lists of exercises and nights are whole whatever the day. */
const EVENTS: Readonly<Record<string, string[]>> = {
  EXERCISE: ['workouts', 'workout_stream'],
  SLEEP: ['sleep', 'hrv', 'respiratory_rate'],
  CONTINUOUS_HEART_RATE: ['heartrate'],
  ACTIVITY_SUMMARY: ['activity'],
  PHYSICAL_INFORMATION: ['body'],
};
const OF_A_DAY = new Set(['CONTINUOUS_HEART_RATE', 'ACTIVITY_SUMMARY']);

/** It signs by a key that it shows to whoever makes the webhook, once; the address is what we know of it. A PING asks for no more than an answer. */
export const notifier: Notifier = {
  headers: [],
  isGenuine: hasOurToken,
  read: ({ event, user_id, date }) => {
    const resources = Object.hasOwn(EVENTS, String(event)) ? EVENTS[String(event)] : undefined;
    const owner = idOf(user_id);
    if (!resources || owner === null) return null;
    return { external_user_id: owner, resources, span: OF_A_DAY.has(String(event)) ? spanOfDay(date) : null };
  },
};
