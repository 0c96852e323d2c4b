// https://cloud.ouraring.com/v2/docs#tag/Webhook-Subscription-Routes
import { hexOf, idOf, isSame, type Hook } from '../hook.ts';

/** Of heart rate nobody tells: it comes with what it belongs to. */
const TYPES: Readonly<Record<string, { resources: string[]; kind?: string }>> = {
  daily_activity: { resources: ['activity', 'steps', 'distance', 'calories_active', 'heartrate'], kind: 'activity' },
  daily_sleep: { resources: ['sleep'] },
  sleep: { resources: ['sleep', 'hrv', 'respiratory_rate', 'heartrate'], kind: 'sleep' },
  workout: { resources: ['workouts', 'heartrate'], kind: 'workouts' },
  daily_spo2: { resources: ['blood_oxygen'] },
  vO2_max: { resources: ['vo2_max'] },
};

export const oura: Hook = {
  headers: ['x-oura-signature', 'x-oura-timestamp'],
  isGenuine: (secret, { headers, body }) => {
    const [signature, timestamp] = [headers['x-oura-signature'] ?? '', headers['x-oura-timestamp'] ?? ''];
    return isSame(signature.toLowerCase(), hexOf(secret, timestamp + body));
  },
  read: ({ data_type, object_id, user_id }) => {
    const type = Object.hasOwn(TYPES, String(data_type)) ? TYPES[String(data_type)] : undefined;
    const [owner, id] = [idOf(user_id), idOf(object_id)];
    if (!type || owner === null || id === null) return null;
    const object = type.kind === undefined ? {} : { object: { resource: type.kind, id } };
    return { external_user_id: owner, resources: type.resources, ...object };
  },
};
