import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { operation, type Operation } from '../../operation/operation.ts';
import { byteStream } from '../../operation/media.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import { BEHAVIOURS, DEMO_ENDPOINT_PATH, type Behaviour } from './address.ts';
import { receiveAtDemoEndpoint } from './receive.ts';

/** An event has at most 256 KiB. Its body names the team and the type beside that. */
const MAX_BYTES = 512 * 1024;

type Request = { params: { team_id: string; behaviour: Behaviour; token: string }; body: Readable };

export const demoEndpointOperations: Operation[] = [
  operation({
    id: 'receive_at_demo_endpoint',
    method: 'POST',
    path: DEMO_ENDPOINT_PATH,
    tag: 'simulation',
    auth: 'none',
    params: Type.Object({
      team_id: Uuid,
      behaviour: oneOf(BEHAVIOURS, { description: 'healthy takes every event, failing none.' }),
      token: Type.String({ maxLength: 64, description: 'A secret of the team, part of the URL.' }),
    }),
    body: byteStream(['application/json'], MAX_BYTES),
    response: Type.Object({ received: Type.Boolean({ description: 'Always true.' }) }),
    refusals: ['not_found', 'demo_endpoint_failed'],
    summary: 'Receive an event at an endpoint of the demo clinic',
    description:
      'In a sandbox the demo clinic has two endpoints at this service itself. The healthy one takes every event, the ' +
      'failing one refuses every event with 500. Neither stores anything.',
    handle: (ctx, { params, body }: Request) => receiveAtDemoEndpoint(ctx, params, body),
  }),
];
