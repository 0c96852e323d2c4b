import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { endpoint, type Endpoint } from '../../../http/endpoint.ts';
import { byteStream } from '../../../http/media.ts';
import { WordFilter } from '../../../wire/schema.ts';
import { MOST_NEWS_BYTES, NEWS_HEADERS, receiveNews } from './receive.ts';

export const schedulerEndpoints: Endpoint[] = [
  endpoint({
    id: 'receive_scheduler_news',
    method: 'POST',
    path: '/hooks/scheduler/{scheduler}',
    tag: 'hooks',
    auth: 'none',
    params: Type.Object({
      scheduler: WordFilter({
        description: 'The provider that it is connected as: getlabs, phlebfinders, quest or sonora_quest.',
      }),
    }),
    headers: [...NEWS_HEADERS],
    body: byteStream(['application/json'], MOST_NEWS_BYTES),
    response: Type.Object({ received: Type.Boolean({ description: 'Always true.' }) }),
    refusals: ['not_found', 'signature_refused', 'scheduler_news_invalid'],
    summary: 'Take what a scheduler tells of an appointment',
    description:
      'Called by a scheduler that the operator has connected, signed by the secret of that connection as ' +
      'Standard Webhooks says. The ' +
      'body has `appointment_id`, `status` (reserved, confirmed, in_progress, completed or cancelled), ' +
      '`occurred_at` and, where they are ' +
      'known, `start`, `end`, `external_id` and `reason`. What is answered by 200 has been applied; news ' +
      'that is older than what was ' +
      'told before changes nothing.',
    handle: (
      ctx,
      {
        params: { scheduler },
        headers,
        body,
      }: {
        params: { scheduler: string };
        headers: Record<string, string | null>;
        body: Readable;
      },
    ) => receiveNews(ctx, scheduler, { headers, body }),
  }),
];
