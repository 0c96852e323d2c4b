// https://cloud.ouraring.com/v2/docs#tag/Webhook-Subscription-Routes
import { isSame } from '../../../privacy/is-same.ts';
import { hexOf, idOf, type Notifier, KEPT_DAYS } from '../notifier.ts';

/** Of heart rate nobody tells: it comes with what it belongs to. */
const TYPES: Readonly<Record<string, { resources: string[]; kind?: string }>> = {
  daily_activity: { resources: ['activity', 'steps', 'distance', 'calories_active', 'heartrate'], kind: 'activity' },
  daily_sleep: { resources: ['sleep'] },
  sleep: { resources: ['sleep', 'hrv', 'respiratory_rate', 'heartrate'], kind: 'sleep' },
  workout: { resources: ['workouts', 'heartrate'], kind: 'workouts' },
  daily_spo2: { resources: ['blood_oxygen'] },
  vO2_max: { resources: ['vo2_max'] },
};

const MOST_AGE_SECONDS = KEPT_DAYS * 86_400;

/** Not said in their documentation, and seen as seconds since 1970; NaN for what is no moment at all. */
function secondsOf(timestamp: string): number {
  if (!/^\d{1,16}(\.\d{1,9})?$/.test(timestamp)) return Date.parse(timestamp) / 1_000;
  const number = Number(timestamp);
  return number > MILLISECONDS_FROM ? number / 1_000 : number;
}

/** In seconds that would be the year 5138, in milliseconds 1973. */
const MILLISECONDS_FROM = 1e11;

/** What is older than the inbox remembers could be sent again by whoever has seen it. Oura tries for about an hour. */
export const notifier: Notifier = {
  headers: ['x-oura-signature', 'x-oura-timestamp'],
  isGenuine: (secret, { headers, body }) => {
    const [signature, timestamp] = [headers['x-oura-signature'] ?? '', headers['x-oura-timestamp'] ?? ''];
    const isOfNow = Math.abs(Date.now() / 1_000 - secondsOf(timestamp)) <= MOST_AGE_SECONDS;
    return isOfNow && isSame(signature.toLowerCase(), hexOf(secret, timestamp + body));
  },
  read: ({ data_type, object_id, user_id }) => {
    const type = Object.hasOwn(TYPES, String(data_type)) ? TYPES[String(data_type)] : undefined;
    const [owner, id] = [idOf(user_id), idOf(object_id)];
    if (!type || owner === null || id === null) return null;
    const object = type.kind === undefined ? {} : { object: { resource: type.kind, id } };
    return { external_user_id: owner, resources: type.resources, ...object };
  },
};
