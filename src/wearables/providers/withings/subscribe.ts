// https://developer.withings.com/developer-guide/v3/integration-guide/public-health-data-api/data-api/notifications/notification-subscribe:
// each user has a subscription for each category. Withings ends a subscription whose address has failed for days.
import { NOTIFY, NOTIFY_CATEGORIES } from './connect.ts';
import { objectsOf, type UserSubscriber } from '../subscriber.ts';

export const subscriber: UserSubscriber = {
  provider: 'withings',
  signs: false,
  ensure: async (ask, { address, base }, scopes) => {
    const notify = (form: Record<string, string>) => ask({ method: 'POST', url: NOTIFY, form });
    const { profiles } = (await notify({ action: 'list' })) as { profiles?: unknown };
    const there = objectsOf(profiles).map(({ appli, callbackurl }) => [String(appli), String(callbackurl)] as const);
    for (const [appli, callbackurl] of there)
      if (callbackurl.startsWith(base) && callbackurl !== address)
        await notify({ action: 'revoke', callbackurl, appli });
    for (const [appli, scope] of NOTIFY_CATEGORIES) {
      const isThere = there.some(([category, callbackurl]) => category === appli && callbackurl === address);
      if (isThere || !(scopes?.includes(scope) ?? true)) continue;
      await notify({ action: 'subscribe', callbackurl: address, appli, comment: 'phial' });
    }
  },
};
