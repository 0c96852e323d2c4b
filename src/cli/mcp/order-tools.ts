import { PhialError, unwrap, type components, type Phial } from '@phial/client';
import { Type } from 'typebox';
import { DEFAULT_ITEMS, day, limit, orderId, userId } from './inputs.ts';
import { tool, type Tool } from './tool.ts';

type Order = components['schemas']['Order'];
type LabResults = components['schemas']['LabResults'];

const word = Type.String({ minLength: 1, maxLength: 100 });

const found = Type.Object(
  {
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Whole words of a name, a date of birth (YYYY-MM-DD), or an id of order, user or sample.',
      }),
    ),
    user_id: Type.Optional(userId),
    status: Type.Optional(
      Type.Array(word, { maxItems: 20, description: 'The last part of the newest status, such as completed.' }),
    ),
    interpretation: Type.Optional(
      Type.String({ enum: ['normal', 'abnormal', 'critical', 'unknown'], description: 'Only with such results.' }),
    ),
    is_overdue: Type.Optional(Type.Boolean({ description: 'Only orders that wait too long, or only the others.' })),
    since: Type.Optional(day('Only orders that were created on this day (UTC) or later, YYYY-MM-DD.')),
    until: Type.Optional(day('Only orders that were created on this day (UTC) or earlier, YYYY-MM-DD.')),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'From 1.' })),
    limit: Type.Optional(limit),
  },
  { additionalProperties: false },
);

export const ORDER_TOOLS: Tool[] = [
  tool({
    name: 'find_orders',
    title: 'Find orders',
    description:
      'Finds orders of laboratory tests, the newest first. Filters combine. Answers have ids instead of names and ' +
      'addresses. `total` counts all orders that match.',
    input: found,
    read: async (phial, { since, until, search, page = 1, limit: size = DEFAULT_ITEMS, ...filters }) => {
      const query = { ...filters, search_input: search, start_date: since, end_date: until, page, size };
      const { orders, total } = await unwrap(phial.GET('/v3/orders', { params: { query } }));
      return { total, page, list: { name: 'orders', items: orders.map(headOf) } };
    },
  }),
  tool({
    name: 'get_order',
    title: 'An order with its results',
    description:
      'Reads an order: its statuses with their times, and its results with units, reference ranges, interpretation ' +
      'and laboratory. `results` is null until the laboratory has reported.',
    input: Type.Object({ order_id: orderId }, { additionalProperties: false }),
    read: async (phial, { order_id }) => {
      const params = { path: { order_id } };
      const order = await unwrap(phial.GET('/v3/order/{order_id}', { params }));
      const results = await readResultsOrNull(phial, order_id);
      return {
        ...headOf(order),
        events: order.events.map(({ created_at, status, status_detail }) => ({ created_at, status, status_detail })),
        report: results && reportOf(results),
        ...(results ? { list: { name: 'results', items: results.results.map(toResult) } } : { results: null }),
      };
    },
  }),
];

/** What identifies an order and its state. Names, addresses and phone numbers stay in the service. */
const headOf = (order: Pick<Order, keyof Order>): Record<string, unknown> => ({
  order_id: order.id,
  user_id: order.user_id,
  sample_id: order.sample_id,
  lab_test: order.lab_test.name,
  laboratory: order.lab_test.lab?.name ?? null,
  collection_method: order.details.type,
  status: order.last_event.status,
  interpretation: order.interpretation,
  has_missing_results: order.has_missing_results,
  created_at: order.created_at,
  updated_at: order.updated_at,
});

async function readResultsOrNull(phial: Phial, order_id: string): Promise<LabResults | null> {
  try {
    return await unwrap(phial.GET('/v3/order/{order_id}/result', { params: { path: { order_id } } }));
  } catch (error) {
    if (error instanceof PhialError && error.code === 'results_not_available') return null;
    throw error;
  }
}

const reportOf = ({ metadata, missing_results }: LabResults): Record<string, unknown> => ({
  source: metadata.laboratory,
  status: metadata.status,
  interpretation: metadata.interpretation,
  collected_at: metadata.date_collected,
  reported_at: metadata.date_reported,
  missing_results: (missing_results ?? []).map(({ name, inferred_failure_type }) => ({ name, inferred_failure_type })),
});

const toResult = (one: LabResults['results'][number]): object => ({
  name: one.name,
  slug: one.slug,
  loinc: one.loinc,
  result: one.result,
  unit: one.unit,
  reference_range: one.reference_range,
  interpretation: one.interpretation,
  status: one.status,
  previous_result: one.previous_result,
  source: one.performing_laboratory,
  reported_at: one.timestamp,
});
