import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { lowStatuses, readOrder, simulate } from '../../../../test/factories.ts';
import { placeOrder } from '../../../../test/placed-orders.ts';
import { COLLECTION_METHODS, fullStatus, statusesOf, type CollectionMethod } from '../../orders/status/statuses.ts';
import { RESULT_TYPES } from '../../results/schemas.ts';

type Results = {
  results: { slug: string; result: string; type: string; status: string; previous_result: string | null }[];
  missing_results: { inferred_failure_type: string }[];
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/**
 * Places an order. The order of a kit begins with its requisition, because its user is known. A simulation cannot cause
 * the statuses of a registration.
 */
const orderBy = (method: CollectionMethod): Promise<string> =>
  placeOrder(app, app.team, method, method === 'testkit' ? ['ordered', 'requisition_created'] : ['ordered']);
const OF_REGISTRATION = new Set<string>([
  'ordered',
  'awaiting_registration',
  'testkit_registered',
  'requisition_bypassed',
]);
const reachable = COLLECTION_METHODS.flatMap((method) =>
  statusesOf(method)
    .filter((status) => method !== 'testkit' || !OF_REGISTRATION.has(status))
    .map((status) => [method, status, fullStatus(method, status)] as const),
).filter(([, status]) => status !== 'ordered');

const results = async (id: string): Promise<Results> => (await app.api<Results>('GET', `/v3/order/${id}/result`)).body;

describe('a simulation', () => {
  test.each(reachable)('of an order by %s reaches %s', async (method, status, full) => {
    const id = await orderBy(method);
    expect((await simulate(app.team, id, `?final_status=${full}`)).status).toBe(200);
    const order = await readOrder(app.team, id);
    expect(order.last_event.status).toBe(full);
    const details: Record<string, string> = {
      sample_error: 'sample_quantity_not_sufficient',
      lab_processing_blocked: 'date_of_collection_unspecified',
    };
    expect(order.events.at(-1)?.status_detail).toBe(details[status] ?? null);
    const answer = await results(id);
    if (status === 'partial_results') expect(answer.results.length).toBeGreaterThan(0);
    if (status === 'corrected') {
      expect(answer.results.some((result) => result.status === 'corrected' && result.previous_result !== null)).toBe(
        true,
      );
    }
  });

  test.each(RESULT_TYPES)('corrects at least one value of %s with every correction', async (type) => {
    const id = await orderBy('on_site_collection');
    const flags = { result_types: [type], has_missing_results: true };
    await simulate(app.team, id, '', flags);
    let before = await results(id);
    expect(new Set(before.results.map((result) => result.type))).toEqual(new Set([type]));
    expect(before.missing_results).toHaveLength(1);
    for (let time = 0; time < 3; time += 1) {
      await simulate(app.team, id, '?final_status=completed.on_site_collection.corrected', flags);
      const after = await results(id);
      const changed = after.results.filter((result, n) => result.result !== before.results[n]?.result);
      expect(changed.length).toBeGreaterThan(0);
      for (const result of changed) {
        const previous = before.results.find(({ slug }) => slug === result.slug)?.result;
        expect([result.status, result.previous_result?.startsWith(previous as string)]).toEqual(['corrected', true]);
      }
      before = after;
    }
    expect(lowStatuses(await readOrder(app.team, id)).slice(-4)).toEqual([
      'completed',
      ...Array.from({ length: 3 }, () => 'corrected'),
    ]);
  });

  test('gives partial results that the complete results repeat', async () => {
    const id = await orderBy('walk_in_test');
    await simulate(app.team, id, '?final_status=sample_with_lab.walk_in_test.partial_results');
    const partial = await results(id);
    await simulate(app.team, id);
    const whole = await results(id);
    expect(partial.results.length).toBeLessThan(whole.results.length);
    for (const { slug, result } of partial.results) {
      expect(whole.results.find((one) => one.slug === slug)?.result).toBe(result);
    }
  });

  test('with critical results adds the order to the list by is_critical', async () => {
    const id = await orderBy('on_site_collection');
    await simulate(app.team, id, '', { interpretation: 'critical' });
    const found = async (query: string): Promise<number> =>
      (await app.api<{ total: number }>('GET', `/v3/orders?order_ids=${id}&${query}`)).body.total;
    expect([await found('is_critical=true'), await found('is_critical=false')]).toEqual([1, 0]);
  });
});
