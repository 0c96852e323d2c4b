// https://developers.strava.com/docs/webhooks/: an application has one subscription, which does not expire.
import { textOf } from '../connector.ts';
import { ProviderRefused } from '../provider-errors.ts';
import { objectsOf, type ApplicationSubscriber } from '../subscriber.ts';

const SUBSCRIPTIONS = 'https://www.strava.com/api/v3/push_subscriptions';

export const subscriber: ApplicationSubscriber = {
  provider: 'strava',
  signs: false,
  ensure: async (ask, { address, base, token }, { id, secret }) => {
    const client = { client_id: id, client_secret: secret };
    const query = new URLSearchParams(client).toString();
    const there = objectsOf(await ask({ method: 'GET', url: `${SUBSCRIPTIONS}?${query}` }));
    const ours = there.find(({ callback_url }) => callback_url === address);
    if (ours) return textOf(ours['id']);
    // Another deployment that uses the same application has made this subscription. So we must not remove it.
    if (there.some(({ callback_url }) => !String(callback_url).startsWith(base)))
      throw new ProviderRefused('subscribed_elsewhere');
    for (const each of there)
      await ask({ method: 'DELETE', url: `${SUBSCRIPTIONS}/${encodeURIComponent(String(each['id']))}?${query}` });
    const form = { ...client, callback_url: address, verify_token: token };
    const [made] = objectsOf([await ask({ method: 'POST', url: SUBSCRIPTIONS, form })]);
    return textOf(made?.['id']);
  },
};
