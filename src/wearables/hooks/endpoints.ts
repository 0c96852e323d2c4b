import { Type } from 'typebox';
import { AppError } from '../../errors.ts';
import { endpoint, type Endpoint } from '../../http/endpoint.ts';
import { byteStream } from '../../http/media.ts';
import { WordFilter } from '../../wire/schema.ts';
import { isSame, verifyTokenOf } from './hook.ts';
import { SIGNATURE_HEADERS } from './providers.ts';
import { findHook, receiveHook } from './receive.ts';

const tag = 'hooks';
const params = Type.Object({ provider: WordFilter() });
const MOST_BYTES = 64 * 1024;
const Parameter = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }));

export const hookEndpoints: Endpoint[] = [
  endpoint({
    id: 'answer_hook_challenge',
    method: 'GET',
    path: '/v2/hooks/{provider}',
    tag,
    auth: 'none',
    params,
    query: Type.Object({
      'hub.challenge': Parameter('What Strava wants to have back.'),
      'hub.verify_token': Parameter('What the subscription was asked for with, at Strava.'),
      challenge: Parameter('What Oura wants to have back.'),
      verification_token: Parameter('What the subscription was asked for with, at Oura.'),
    }),
    response: Type.Object({
      'hub.challenge': Type.Optional(Type.String({ description: 'What Strava has sent.' })),
      challenge: Type.Optional(Type.String({ description: 'What Oura has sent.' })),
    }),
    summary: 'Confirm a subscription to the news of a provider',
    description:
      'Called by the provider when its operator subscribes. The token is the hexadecimal HMAC-SHA256 of the words "phial hooks" ' +
      'by the secret of the application.',
    refusals: ['not_found', 'signature_refused'],
    handle: async (ctx, { params: { provider }, query }) => {
      const { secret } = findHook(ctx, provider);
      const token = query['hub.verify_token'] ?? query.verification_token ?? '';
      if (!isSame(token, verifyTokenOf(secret)))
        throw new AppError('signature_refused', 'The token is not that of this deployment.');
      const { challenge } = query;
      return challenge === undefined ? { 'hub.challenge': query['hub.challenge'] ?? '' } : { challenge };
    },
  }),
  endpoint({
    id: 'receive_hook',
    method: 'POST',
    path: '/v2/hooks/{provider}',
    tag,
    auth: 'none',
    params,
    headers: SIGNATURE_HEADERS,
    body: byteStream(['application/json'], MOST_BYTES),
    response: Type.Object({ received: Type.Boolean({ description: 'Always true.' }) }),
    summary: 'Take news of a provider',
    description:
      "Called by the provider, signed its way. What it tells of is asked for at the provider's own interface afterwards, so a " +
      'notification changes nothing by itself. One that comes again is known.',
    refusals: ['not_found', 'signature_refused'],
    handle: (ctx, { params: { provider }, headers, body }) => receiveHook(ctx, { provider, headers, body }),
  }),
];
