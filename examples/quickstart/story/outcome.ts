import type { OrderMessage } from '../endpoint.ts';
import { expectEqual } from '../surprise.ts';
import type { Cast, Order, User } from './cast.ts';
import { KIT_PATH } from './steps.ts';

export async function readOrder({ service, endpoint }: Cast, user: User, { id }: Order): Promise<void> {
  const order = await service.call(
    'Read the order in its longer form',
    ({ team }) => team.GET('/v3/order/{order_id}', { params: { path: { order_id: id } } }),
    { summary: (order) => `${order.status}, ${order.interpretation}, ${order.events.length} events` },
  );
  expectEqual(
    'Status and interpretation',
    [order.user_id, order.status, order.interpretation],
    [user.user_id, 'completed', 'normal'],
  );
  const last = (await endpoint.receive(id, KIT_PATH.length)).at(-1) as OrderMessage;
  // By default, webhooks contain only a patient's date of birth and gender.
  const [sent, shown] = [order.patient_details, last.data.patient_details];
  expectEqual(
    'The patient in the last webhook',
    [shown?.dob, shown?.gender, shown?.last_name],
    [sent?.dob, sent?.gender, null],
  );
  // A link contains the key that requested it, so the links of a response and of a webhook differ. A webhook has no
  // such key.
  const apart = { patient_details: null, requisition_form_url: null };
  expectEqual("The last webhook's order", { ...last.data, ...apart }, { ...order, ...apart });
}

export async function readResults({ service }: Cast, { id }: Order): Promise<void> {
  const { metadata, results } = await service.call(
    'Read the results',
    ({ team }) => team.GET('/v3/order/{order_id}/result', { params: { path: { order_id: id } } }),
    {
      summary: ({ results }) =>
        results.map(({ name, result, unit }) => `${name} ${result}${unit === null ? '' : ` ${unit}`}`).join(', '),
    },
  );
  expectEqual('Status of the report', metadata.status, 'final');
  expectEqual('Interpretations', [...new Set(results.map(({ interpretation }) => interpretation))], ['normal']);
}

export async function refuseCancellation({ service }: Cast, { id }: Order): Promise<void> {
  const { code } = await service.refusal(
    'Cancel it, which is too late',
    ({ team }) => team.POST('/v3/order/{order_id}/cancel', { params: { path: { order_id: id } } }),
    { status: 400, summary: ({ code }) => code },
  );
  expectEqual('code', code, 'order_not_cancellable');
}
