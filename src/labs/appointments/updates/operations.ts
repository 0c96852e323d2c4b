import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { operation, type Operation } from '../../../operation/operation.ts';
import { byteStream } from '../../../operation/media.ts';
import { WordFilter } from '../../../wire/schema.ts';
import { MAX_UPDATE_BYTES, UPDATE_HEADERS, receiveSchedulerUpdate } from './receive-scheduler-update.ts';

export const schedulerOperations: Operation[] = [
  operation({
    id: 'receive_scheduler_news',
    method: 'POST',
    path: '/hooks/scheduler/{scheduler}',
    tag: 'hooks',
    auth: 'none',
    params: Type.Object({
      scheduler: WordFilter({
        description:
          'The provider under which the scheduler is connected: getlabs, phlebfinders, quest or sonora_quest.',
      }),
    }),
    headers: [...UPDATE_HEADERS],
    body: byteStream(['application/json'], MAX_UPDATE_BYTES),
    response: Type.Object({ received: Type.Boolean({ description: 'Always true.' }) }),
    refusals: ['not_found', 'signature_refused', 'scheduler_news_invalid'],
    summary: "Receive a scheduler's update of an appointment",
    description:
      'A scheduler that the operator has connected calls this. It signs the request with the secret of that ' +
      'connection, as Standard Webhooks says. The body has `appointment_id`, `status` (reserved, confirmed, ' +
      'in_progress, completed or cancelled), `occurred_at` and, where they are known, `start`, `end`, ' +
      '`external_id` and `reason`. An update that is answered with 200 has been applied. An update that is ' +
      'older than the last one changes nothing.',
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
    ) => receiveSchedulerUpdate(ctx, scheduler, { headers, body }),
  }),
];
