// These tests insert their orders directly, without the operation that creates orders.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { lowStatuses, readOrder, simulate } from '../../../../test/factories.ts';
import { placeOrder } from '../../../../test/placed-orders.ts';
import type { CollectionMethod } from '../../orders/status/statuses.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const orderBy = (method: CollectionMethod): Promise<string> => placeOrder(app, app.team, method);

describe('the simulation of an order', () => {
  test.each<[CollectionMethod, string[]]>([
    ['walk_in_test', ['requisition_created', 'completed']],
    [
      'at_home_phlebotomy',
      ['requisition_created', 'appointment_pending', 'appointment_scheduled', 'draw_completed', 'completed'],
    ],
    ['on_site_collection', ['requisition_created', 'draw_completed', 'completed']],
  ])('by %s goes %j', async (method, steps) => {
    const id = await orderBy(method);
    expect((await simulate(app.team, id)).status).toBe(200);
    const order = await readOrder(app.team, id);
    expect(lowStatuses(order)).toEqual(['ordered', ...steps]);
    expect(order).toMatchObject({
      status: 'completed',
      interpretation: 'normal',
      details: { type: method, data: { appointment_id: null } },
    });
    expect((await app.api('GET', `/v3/order/${id}/result`)).status).toBe(200);
  });

  test('gives partial results first and complete ones after them', async () => {
    const id = await orderBy('walk_in_test');
    await simulate(app.team, id, '?final_status=sample_with_lab.walk_in_test.partial_results', {
      interpretation: 'critical',
    });
    const partial = await app.api<{ status: string; interpretation: string }>('GET', `/v3/order/${id}/result/metadata`);
    expect(partial.body).toMatchObject({ status: 'partial', interpretation: 'critical' });
    expect((await readOrder(app.team, id)).interpretation).toBe('critical');
    await simulate(app.team, id);
    const whole = await app.api<{ status: string; interpretation: string }>('GET', `/v3/order/${id}/result/metadata`);
    expect(whole.body).toMatchObject({ status: 'final', interpretation: 'normal' });
    expect((await readOrder(app.team, id)).interpretation).toBe('normal');
  });

  test.each(['walk_in_test', 'at_home_phlebotomy', 'on_site_collection'])(
    'by %s can end in sample_error',
    async (method) => {
      const id = await orderBy(method as CollectionMethod);
      expect((await simulate(app.team, id, `?final_status=failed.${method}.sample_error`)).status).toBe(200);
      expect((await readOrder(app.team, id)).status).toBe('failed');
    },
  );
});
