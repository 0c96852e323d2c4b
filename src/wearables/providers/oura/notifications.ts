// https://cloud.ouraring.com/v2/docs#tag/Webhook-Subscription-Routes
import { equalInConstantTime } from '../../../privacy/equal-in-constant-time.ts';
import { hexOf, idOf, type NotificationReader, INBOX_RETENTION_DAYS } from '../notification-reader.ts';

/**
 * The resources and the kind of summary for each of Oura's data types. Oura sends no notifications about heart rate, so
 * we pull it together with the data to which it belongs.
 */
const TYPES: Readonly<Record<string, { resources: string[]; kind?: string }>> = {
  daily_activity: { resources: ['activity', 'steps', 'distance', 'calories_active', 'heartrate'], kind: 'activity' },
  daily_sleep: { resources: ['sleep'] },
  sleep: { resources: ['sleep', 'hrv', 'respiratory_rate', 'heartrate'], kind: 'sleep' },
  workout: { resources: ['workouts', 'heartrate'], kind: 'workouts' },
  daily_spo2: { resources: ['blood_oxygen'] },
  vO2_max: { resources: ['vo2_max'] },
};

const MOST_AGE_SECONDS = INBOX_RETENTION_DAYS * 86_400;

/**
 * Returns the timestamp in seconds; NaN if it is not a moment. The documentation does not define its form. We have
 * observed seconds since 1970.
 */
function secondsOf(timestamp: string): number {
  if (!/^\d{1,16}(\.\d{1,9})?$/.test(timestamp)) return Date.parse(timestamp) / 1_000;
  const number = Number(timestamp);
  return number > MILLISECONDS_FROM ? number / 1_000 : number;
}

/** A larger number must be milliseconds. In seconds this number is in the year 5138, in milliseconds in 1973. */
const MILLISECONDS_FROM = 1e11;

/**
 * We refuse a notification that is older than the retention time of the inbox, because anybody who has seen it could
 * send it again. Oura itself repeats a notification for about an hour.
 */
export const notificationReader: NotificationReader = {
  headers: ['x-oura-signature', 'x-oura-timestamp'],
  isGenuine: (secret, { headers, body }) => {
    const [signature, timestamp] = [headers['x-oura-signature'] ?? '', headers['x-oura-timestamp'] ?? ''];
    const isOfNow = Math.abs(Date.now() / 1_000 - secondsOf(timestamp)) <= MOST_AGE_SECONDS;
    return isOfNow && equalInConstantTime(signature.toLowerCase(), hexOf(secret, timestamp + body));
  },
  read: ({ data_type, object_id, user_id }) => {
    const type = Object.hasOwn(TYPES, String(data_type)) ? TYPES[String(data_type)] : undefined;
    const [owner, id] = [idOf(user_id), idOf(object_id)];
    if (!type || owner === null || id === null) return null;
    const object = type.kind === undefined ? {} : { object: { resource: type.kind, id } };
    return { external_user_id: owner, resources: type.resources, ...object };
  },
};
