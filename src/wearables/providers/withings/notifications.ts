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
 * Categories in which a notification does not say whether values were deleted. So we request all values of the span,
 * and delete the stored values that Withings does not return.
 */
const OF_MEASURES = new Set(['1', '2', '4']);
/** The category for changes of the user's account. */
const ACCOUNT = '46';

/** Withings does not sign. Only Withings knows the address with our token, so the address proves the sender. */
export const notificationReader: NotificationReader = {
  headers: [],
  isGenuine: hasOurToken,
  isForm: true,
  // A notification that only names a day comes each time when the data of the day changes, with the same text.
  repeats: true,
  read: ({ userid, appli, startdate, enddate, date, action }) => {
    const owner = idOf(userid);
    if (owner === null) return null;
    if (appli === ACCOUNT) {
      // The action `update` means a change of the profile, which we do not pull.
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
