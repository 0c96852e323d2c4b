// https://cloud-api.wahooligan.com/#webhooks
import { fieldsOf, hasOurToken, idOf, type NotificationReader } from '../notification-reader.ts';

/**
 * Wahoo does not sign. It sends a token in the body, but Wahoo chooses that token itself and we do not know it. So our
 * own token is in the address.
 */
export const notificationReader: NotificationReader = {
  headers: [],
  isGenuine: hasOurToken,
  read: ({ event_type, user, workout_summary }) => {
    const owner = idOf(fieldsOf(user)['id']);
    const id = idOf(fieldsOf(fieldsOf(workout_summary)['workout'])['id']);
    if (event_type !== 'workout_summary' || owner === null || id === null) return null;
    return { external_user_id: owner, resources: ['workouts'], object: { resource: 'workouts', id } };
  },
};
