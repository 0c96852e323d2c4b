// https://cloud.ouraring.com/v2/docs#tag/Webhook-Subscription-Routes
import { equalInConstantTime } from '../../../privacy/equal-in-constant-time.ts';
import { hexOf, idOf, type NotificationReader, INBOX_RETENTION_DAYS } from '../notification-reader.ts';

/**
 * The resources and the kind of summary, by Oura's data types. Oura sends no notifications about heart rates. So we
 * pull them with the activity, sleep or workout during which they were measured.
 */
const TYPES: Readonly<Record<string, { resources: string[]; kind?: string }>> = {
  daily_activity: { resources: ['activity', 'steps', 'distance', 'calories_active', 'heartrate'], kind: 'activity' },
  daily_sleep: { resources: ['sleep'] },
  sleep: { resources: ['sleep', 'hrv', 'respiratory_rate', 'heartrate'], kind: 'sleep' },
  workout: { resources: ['workouts', 'heartrate'], kind: 'workouts' },
  daily_spo2: { resources: ['blood_oxygen'] },
  vO2_max: { resources: ['vo2_max'] },
};

const MAX_AGE_SECONDS = INBOX_RETENTION_DAYS * 86_400;

/**
 * Returns the timestamp in seconds since 1970; NaN if it is no moment. Oura sends seconds, but does not document the
 * form of the timestamp. So this function also accepts milliseconds and ISO 8601.
 */
function secondsOf(timestamp: string): number {
  if (!/^\d{1,16}(\.\d{1,9})?$/.test(timestamp)) return Date.parse(timestamp) / 1_000;
  const number = Number(timestamp);
  return number > MILLISECONDS_FROM ? number / 1_000 : number;
}

/**
 * From this number on, a timestamp must be in milliseconds: as seconds it would be the year 5138, as milliseconds it is
 * 1973.
 */
const MILLISECONDS_FROM = 1e11;

/**
 * Refuses a notification that is older than INBOX_RETENTION_DAYS. Somebody who has seen an old notification may be
 * sending a copy of it. Oura itself repeats a notification for about an hour.
 */
export const notificationReader: NotificationReader = {
  headers: ['x-oura-signature', 'x-oura-timestamp'],
  isGenuine: (secret, { headers, body }) => {
    const [signature, timestamp] = [headers['x-oura-signature'] ?? '', headers['x-oura-timestamp'] ?? ''];
    const isOfNow = Math.abs(Date.now() / 1_000 - secondsOf(timestamp)) <= MAX_AGE_SECONDS;
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
