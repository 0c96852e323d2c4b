import type { Readable } from 'node:stream';
import { Type, type Static } from 'typebox';
import { operation, type Operation } from '../../operation/operation.ts';
import { byteStream } from '../../operation/media.ts';
import { WordFilter } from '../../wire/schema.ts';
import { confirm } from './confirm-hook.ts';
import type { HookRequest } from '../providers/notification-reader.ts';
import { NOTIFICATION_HEADERS } from '../providers/registry.ts';
import { receiveHook } from './receive-hook.ts';
import { Challenge, Confirmation, Received } from './schemas.ts';

const tag = 'hooks';
const MAX_BYTES = 64 * 1024;

/**
 * Two addresses for notifications. AT_PROVIDER is for providers that sign what they send. AT_TOKEN contains a secret,
 * for providers that do not sign.
 */
const AT_PROVIDER = '/v2/hooks/{provider}';
const AT_TOKEN = '/v2/hooks/{provider}/{token}';
const AtProvider = Type.Object({ provider: WordFilter() });
const AtToken = Type.Object({
  provider: WordFilter(),
  token: Type.String({
    maxLength: 100,
    description: 'The hexadecimal HMAC-SHA256 of the words "phial hooks" by the secret of the application.',
  }),
});

const answersChallenge = {
  method: 'GET',
  tag,
  auth: 'none',
  query: Challenge,
  response: Confirmation,
  refusals: ['not_found', 'signature_refused'],
} as const;

const receives = {
  method: 'POST',
  tag,
  auth: 'none',
  headers: NOTIFICATION_HEADERS,
  body: byteStream(['application/json', 'application/x-www-form-urlencoded'], MAX_BYTES),
  response: Received,
  refusals: ['not_found', 'signature_refused'],
} as const;

type StreamedHookRequest = { headers: HookRequest['headers']; body: Readable };

export const hookOperations: Operation[] = [
  operation({
    ...answersChallenge,
    id: 'answer_hook_challenge',
    path: AT_PROVIDER,
    params: AtProvider,
    summary: 'Confirm a subscription to the notifications of a provider',
    description:
      'Called by the provider when it is subscribed to. The token is the hexadecimal HMAC-SHA256 of ' +
      'the words "phial hooks" by the secret of the application.',
    handle: (ctx, { params: { provider }, query }) => confirm(ctx, { provider, token: null, query }),
  }),
  operation({
    ...receives,
    id: 'receive_hook',
    path: AT_PROVIDER,
    params: AtProvider,
    summary: 'Take notifications of a provider',
    description:
      "Called by the provider and signed in its way. Phial then asks the provider's API for the data, " +
      'so a notification itself changes nothing. A repeated notification is recognised.',
    handle: (
      ctx,
      { params: { provider }, headers, body }: { params: Static<typeof AtProvider> } & StreamedHookRequest,
    ) => receiveHook(ctx, provider, { token: null, headers, body }),
  }),
  operation({
    ...answersChallenge,
    id: 'answer_hook_challenge_with_token',
    path: AT_TOKEN,
    params: AtToken,
    summary: 'Confirm a subscription to the notifications of a provider that does not sign',
    description:
      'As at the address without a token. A provider that only checks whether the address answers gets ' +
      'an empty object.',
    handle: (ctx, { params, query }) => confirm(ctx, { ...params, query }),
  }),
  operation({
    ...receives,
    id: 'receive_hook_with_token',
    path: AT_TOKEN,
    params: AtToken,
    summary: 'Take notifications of a provider that does not sign',
    description: 'Called by the provider, which alone knows the address. Otherwise as at the address without a token.',
    handle: (
      ctx,
      { params: { provider, token }, headers, body }: { params: Static<typeof AtToken> } & StreamedHookRequest,
    ) => receiveHook(ctx, provider, { token, headers, body }),
  }),
];
