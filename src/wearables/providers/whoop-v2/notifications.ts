// https://developer.whoop.com/docs/developing/webhooks
import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../../../privacy/equal-in-constant-time.ts';
import { idOf, type NotificationReader } from '../notification-reader.ts';

const MAX_AGE_MS = 300_000;

/**
 * The resources that may have changed, by the type of the notification. A recovery has the id of its sleep, and our
 * sleep has the values of the recovery.
 */
const TYPES: Readonly<Record<string, { resources: string[]; kind: string }>> = {
  sleep: { resources: ['sleep', 'respiratory_rate'], kind: 'sleep' },
  recovery: { resources: ['sleep', 'hrv', 'blood_oxygen'], kind: 'sleep' },
  workout: { resources: ['workouts'], kind: 'workouts' },
};

export const notificationReader: NotificationReader = {
  headers: ['x-whoop-signature', 'x-whoop-signature-timestamp'],
  isGenuine: (secret, { headers, body }) => {
    const at = headers['x-whoop-signature-timestamp'] ?? '';
    const isNow = Math.abs(Date.now() - Number(at)) <= MAX_AGE_MS;
    const signature = createHmac('sha256', secret).update(`${at}${body}`).digest('base64');
    return isNow && equalInConstantTime(headers['x-whoop-signature'] ?? '', signature);
  },
  read: ({ user_id, id, type }) => {
    const what = String(type).replace(/\.(updated|deleted)$/, '');
    const known = Object.hasOwn(TYPES, what) ? TYPES[what] : undefined;
    const [owner, object] = [idOf(user_id), idOf(id)];
    if (!known || owner === null || object === null) return null;
    const deleted = String(type).endsWith('.deleted');
    return {
      external_user_id: owner,
      resources: known.resources,
      object: { resource: known.kind, id: object },
      deleted,
    };
  },
};
