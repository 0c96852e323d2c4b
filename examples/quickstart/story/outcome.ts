import type { patient } from '../people.ts';
import type { OrderMessage } from '../endpoint.ts';
import { expectEqual } from '../surprise.ts';
import type { Cast, Order, Refusal, User } from './cast.ts';
import { KIT_PATH } from './steps.ts';

type Results = {
  metadata: { status: string };
  results: { name: string; result: string; unit: string | null; interpretation: string }[];
};

export async function readOrder({ service, endpoint }: Cast, user: User, { id }: Order): Promise<void> {
  const order = await service.call<Order & Record<string, unknown>>(
    'Read the order in its longer form',
    'GET /v3/order/{order_id}',
    {
      params: { order_id: id },
      summary: (order) => `${order.status}, ${order.interpretation}, ${order.events.length} events`,
    },
  );
  expectEqual(
    'Status and interpretation',
    [order.user_id, order.status, order.interpretation],
    [user.user_id, 'completed', 'normal'],
  );
  const last = (await endpoint.receive(id, KIT_PATH.length)).at(-1) as OrderMessage;
  // By default, webhooks contain only a patient's date of birth and gender.
  const { dob, gender } = order['patient_details'] as typeof patient;
  const shown = last.data['patient_details'] as Record<string, unknown>;
  expectEqual(
    'The patient in the last webhook',
    [shown['dob'], shown['gender'], shown['last_name']],
    [dob, gender, null],
  );
  // A link contains the key that requested it, so the links of a response and of a webhook differ. A webhook has no
  // such key.
  const apart = { patient_details: null, requisition_form_url: null };
  expectEqual("The last webhook's order", { ...last.data, ...apart }, { ...order, ...apart });
}

export async function readResults({ service }: Cast, { id }: Order): Promise<void> {
  const { metadata, results } = await service.call<Results>('Read the results', 'GET /v3/order/{order_id}/result', {
    params: { order_id: id },
    summary: ({ results }) =>
      results.map(({ name, result, unit }) => `${name} ${result}${unit === null ? '' : ` ${unit}`}`).join(', '),
  });
  expectEqual('Status of the report', metadata.status, 'final');
  expectEqual('Interpretations', [...new Set(results.map(({ interpretation }) => interpretation))], ['normal']);
}

export async function refuseCancellation({ service }: Cast, { id }: Order): Promise<void> {
  const { code } = await service.call<Refusal>('Cancel it, which is too late', 'POST /v3/order/{order_id}/cancel', {
    params: { order_id: id },
    status: 400,
    summary: ({ code }) => code,
  });
  expectEqual('code', code, 'order_not_cancellable');
}
