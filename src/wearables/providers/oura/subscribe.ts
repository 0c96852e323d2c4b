// https://cloud.ouraring.com/v2/docs#tag/Webhook-Subscription-Routes: each type of data and event has a subscription of
// its own, which lasts for some 90 days.
import { objectsOf, type ApplicationSubscriber } from '../subscriber.ts';

const SUBSCRIPTIONS = 'https://api.ouraring.com/v2/webhook/subscription';
const DATA_TYPES = ['daily_activity', 'daily_sleep', 'sleep', 'workout', 'daily_spo2', 'vO2_max'];
const EVENT_TYPES = ['create', 'update', 'delete'];
/** A subscription is renewed this long before it expires. So some days without a connection to Oura do no harm. */
const RENEWED_BEFORE_MS = 14 * 86_400_000;

export const subscriber: ApplicationSubscriber = {
  provider: 'oura',
  signs: true,
  ensure: async (ask, { address, token }, client) => {
    const headers = { 'x-client-id': client.id, 'x-client-secret': client.secret };
    const there = objectsOf(await ask({ method: 'GET', url: SUBSCRIPTIONS, headers }));
    for (const data_type of DATA_TYPES) {
      for (const event_type of EVENT_TYPES) {
        const found = there.find(
          (each) =>
            each['callback_url'] === address && each['data_type'] === data_type && each['event_type'] === event_type,
        );
        if (!found) {
          const json = { callback_url: address, verification_token: token, event_type, data_type };
          await ask({ method: 'POST', url: SUBSCRIPTIONS, headers, json });
        } else if (!(Date.parse(String(found['expiration_time'])) > Date.now() + RENEWED_BEFORE_MS)) {
          const id = encodeURIComponent(String(found['id']));
          await ask({ method: 'PUT', url: `${SUBSCRIPTIONS}/renew/${id}`, headers });
        }
      }
    }
    return null;
  },
};
