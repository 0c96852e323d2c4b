// https://developer.withings.com/developer-guide/v3/integration-guide/public-health-data-api/data-api/notifications/notification-content
import { hasOurToken, idOf, spanOf, spanOfDay, type Notifier } from '../notifier.ts';

/** What may have changed, by the number of a category. */
const CATEGORIES: Readonly<Record<string, string[]>> = {
  1: ['body', 'weight', 'fat'],
  2: ['body_temperature'],
  4: ['blood_pressure', 'blood_oxygen', 'heartrate'],
  16: ['activity', 'workouts', 'steps', 'distance', 'floors_climbed', 'calories_active', 'heartrate'],
  44: ['sleep'],
};
/** Those whose measures are read whole by the span that is told, and can have been deleted. */
const OF_MEASURES = new Set(['1', '2', '4']);
/** What the user does with the account. */
const ACCOUNT = '46';

/** It signs nothing: the address that it was given with the subscription is known to nobody else. */
export const notifier: Notifier = {
  headers: [],
  isGenuine: hasOurToken,
  isForm: true,
  // One that names a day comes with each change of the day.
  repeats: true,
  read: ({ userid, appli, startdate, enddate, date, action }) => {
    const owner = idOf(userid);
    if (owner === null) return null;
    if (appli === ACCOUNT) {
      // update: the profile, which is not pulled.
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
