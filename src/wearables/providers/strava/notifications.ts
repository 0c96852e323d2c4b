// https://developers.strava.com/docs/webhooks/
import { equalInConstantTime } from '../../../privacy/equal-in-constant-time.ts';
import { fieldsOf, hasOurToken, hexOf, idOf, type NotificationReader } from '../notification-reader.ts';

const MAX_AGE_SECONDS = 300;

/**
 * Strava signs for some applications and not for others. A notification without a signature must come to the address
 * with our token, which only Strava knows.
 */
export const notificationReader: NotificationReader = {
  headers: ['x-strava-signature'],
  isGenuine: (secret, sent) => {
    const signature = sent.headers['x-strava-signature'] ?? null;
    if (signature === null) return hasOurToken(secret, sent);
    const [, seconds = '', digest = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    const isNow = Math.abs(Date.now() / 1_000 - Number(seconds)) <= MAX_AGE_SECONDS;
    return digest !== '' && isNow && equalInConstantTime(digest, hexOf(secret, `${seconds}.${sent.body}`));
  },
  subscriptionOf: ({ subscription_id }) => idOf(subscription_id),
  read: ({ object_type, object_id, owner_id, updates }) => {
    const [owner, id] = [idOf(owner_id), idOf(object_id)];
    if (owner === null || id === null) return null;
    if (object_type === 'activity') {
      const resources = ['workouts', 'workout_stream'];
      return { external_user_id: owner, resources, object: { resource: 'workouts', id } };
    }
    return object_type === 'athlete' && String(fieldsOf(updates)['authorized']) === 'false'
      ? { external_user_id: owner, resources: [], ended: true }
      : null;
  },
};
