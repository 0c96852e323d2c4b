// What the client for TypeScript does, for runtimes other than Node: requests, pages, refusals, the change feed and
// webhooks. The arguments are the address of a sandbox and a team API key.
import {
  itemsOf,
  openPhial,
  pagesOf,
  PhialError,
  unwrap,
  verifyWebhook,
  WebhookVerificationError,
} from '@phial/client';
import { Webhook } from 'standardwebhooks';

const [baseUrl, apiKey] = process.argv.slice(2);
const phial = openPhial({ baseUrl, apiKey });
const check = (holds, words) => {
  if (!holds) throw new Error(words);
};

const client_user_id = `elsewhere-${crypto.randomUUID()}`;
await unwrap(phial.POST('/v2/user', { body: { client_user_id: `${client_user_id}-before` } }));
const { user_id } = await unwrap(phial.POST('/v2/user', { body: { client_user_id } }));

const listed = [];
const pages = pagesOf((next) => unwrap(phial.GET('/v2/user', { params: { query: { limit: 1, ...next } } })));
for await (const user of itemsOf(pages, 'users')) listed.push(user.user_id);
check(listed.length > 1 && listed.includes(user_id), 'the user is on no page');

const refusal = await unwrap(phial.POST('/v2/user', { body: { client_user_id } })).catch((error) => error);
check(refusal instanceof PhialError && refusal.is('client_user_id_conflict'), `refused with ${refusal}`);

// Events of the connection come for some seconds, so that one comes after the cursor in any case.
const connected = unwrap(phial.POST('/v2/link/connect/demo', { body: { user_id, provider: 'oura' } }));
let event;
for await (event of phial.events.follow({ after: 'now' })) if (event.user_id === user_id) break;
await connected;

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const at = new Date();
const body = JSON.stringify(event.body);
const headers = {
  'webhook-id': event.id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign(event.id, at, body),
};
check(verifyWebhook(body, headers, secret).event_type === event.event_type, 'the webhook has another type');
try {
  verifyWebhook(`${body} `, headers, secret);
  check(false, 'a changed body was verified');
} catch (error) {
  check(error instanceof WebhookVerificationError, String(error));
}
process.stdout.write(`users: ${listed.length}, event: ${event.event_type}\n`);
