import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { nullable, Uuid, withDefault } from '../../../wire/schema.ts';
import { FinalStatus, SimulationFlags } from './schemas.ts';
import { simulateOrder } from './simulate-order.ts';

export const simulationOperations = [
  operation({
    id: 'simulate_order',
    method: 'POST',
    path: '/v3/order/{order_id}/test',
    tag: 'simulation',
    summary: 'Move a sandbox order to a status',
    description:
      'Every step is an event with its webhook. Without final_status the order goes to completed, and an ' +
      'unregistered kit to with_customer. delay is the time between steps in seconds. Results are made from the ' +
      'markers of the test, and are always the same for the same order.',
    params: Type.Object({ order_id: Uuid }),
    query: Type.Object({
      final_status: Type.Optional(FinalStatus),
      delay: withDefault(Type.Integer({ minimum: 0, maximum: 86_400 }), 0),
    }),
    body: nullable(SimulationFlags),
    response: Type.String(),
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'sandbox_only',
      'registration_required',
      'status_not_reachable',
      'slot_taken',
    ],
    handle: async (ctx, { params: { order_id }, query: { final_status, delay }, body }) => {
      await simulateOrder(ctx, order_id, {
        finalStatus: final_status ?? null,
        delaySeconds: delay,
        flags: body ?? {},
      });
      return 'Success';
    },
  }),
];
