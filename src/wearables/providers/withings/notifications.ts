// https://developer.withings.com/developer-guide/v3/integration-guide/public-health-data-api/data-api/notifications/notification-content
import { hasOurToken, idOf, spanOf, spanOfDay, type NotificationReader } from '../notification-reader.ts';

/** The resources that may have changed, by the number of the category. */
const CATEGORIES: Readonly<Record<string, string[]>> = {
  1: ['body', 'weight', 'fat'],
  2: ['body_temperature'],
  4: ['blood_pressure', 'blood_oxygen', 'heartrate'],
  16: ['activity', 'workouts', 'steps', 'distance', 'floors_climbed', 'calories_active', 'heartrate'],
  44: ['sleep'],
};
/**
 * For these categories we pull all values of the span, because a missing value is the only sign that it was deleted.
 */
const OF_MEASURES = new Set(['1', '2', '4']);
/** The category for changes of the user's account. */
const ACCOUNT = '46';

/** Withings does not sign. The address of the subscription proves the sender, because only Withings knows it. */
export const notificationReader: NotificationReader = {
  headers: [],
  isGenuine: hasOurToken,
  isForm: true,
  // Withings sends a notification that names a day each time the data of the day changes.
  repeats: true,
  read: ({ userid, appli, startdate, enddate, date, action }) => {
    const owner = idOf(userid);
    if (owner === null) return null;
    if (appli === ACCOUNT) {
      // The action `update` means that the profile has changed, which we do not pull.
      return action === 'unlink' || action === 'delete'
        ? { external_user_id: owner, resources: [], ended: true }
        : null;
    }
    const resources = Object.hasOwn(CATEGORIES, String(appli)) ? CATEGORIES[String(appli)] : undefined;
    if (!resources) return null;
    const span = spanOfDay(date) ?? spanOfSeconds(startdate, enddate);
    return { external_user_id: owner, resources, span, deleted: OF_MEASURES.has(String(appli)) };
  },
};

const spanOfSeconds = (first: unknown, last: unknown) => spanOf(Number(first) * 1_000, Number(last) * 1_000);
