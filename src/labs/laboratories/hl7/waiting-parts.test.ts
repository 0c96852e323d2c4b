// Phial applies the readable parts of a message. The unreadable parts wait for a repair.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lowStatuses } from '../../../../test/factories.ts';
import { thyroid } from '../../../../test/hl7-deployment.ts';
import {
  obr,
  obx,
  PID,
  startLaboratoryOrders,
  type AtLaboratory,
  type LaboratoryOrders,
} from '../../../../test/hl7-orders.ts';
import { discardMessage, replayAll, replayMessage } from './repair/repair-message.ts';

let orders: LaboratoryOrders;
let order: AtLaboratory;
beforeAll(async () => {
  orders = await startLaboratoryOrders([thyroid]);
});
beforeEach(async () => {
  await orders.connect();
  order = await orders.walkIn(['MET']);
});
afterAll(() => orders.close());

const CRITICAL = obx('GLU', '480', { flag: 'HH' });
const UNMAPPED = 'OBX|2|NM|NEW^New marker^L||1|mg/dL|||||F';
const last = async (): Promise<string | undefined> => lowStatuses(await orders.read(order.id)).at(-1);
const inReview = async (): Promise<unknown> => (await orders.read(order.id))['has_results_in_review'];
const newest = async () =>
  orders.app.db
    .selectFrom('hl7_messages')
    .select(['id', 'state', 'reason', 'order_id', 'waits', 'partly_applied'])
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();

describe('a value with an unmapped code', () => {
  test('waits, while a critical value of the same message is published and the order is in review', async () => {
    expect(await inReview()).toBe(false);
    expect(await orders.send([PID, obr(order.number, 'MET', 'F'), CRITICAL, obx('A1C', '5.1'), UNMAPPED])).toBe(
      'AE unmapped_code',
    );
    const answer = await orders.results(order.id);
    expect(answer.results.map(({ result }) => result)).toEqual(['480', '5.1']);
    expect(answer).toMatchObject({ metadata: { status: 'partial' }, has_results_in_review: true, missing_results: [] });
    expect(await orders.events(order.id)).toContain('critical');
    expect([await last(), await inReview()]).toEqual(['partial_results', true]);
    expect(await newest()).toMatchObject({
      state: 'failed',
      reason: 'unmapped_code',
      order_id: order.id,
      partly_applied: true,
      waits: [{ reason: 'unmapped_code', segment: 'OBX', codes: ['NEW'] }],
    });
    expect(orders.logged.filter((line) => line.includes('waits to be repaired')).length).toBeGreaterThan(0);
  });

  test('is added to its order when it is mapped and replayed, and nothing else changes', async () => {
    await orders.send([PID, obr(order.number, 'MET', 'F'), CRITICAL, obx('A1C', '5.1'), UNMAPPED]);
    const newMarker = { code: 'NEW', slug: 'saguaro-new', name: 'New', loinc_code: '2085-9', unit: 'mg/dL' };
    await orders.connect({}, [thyroid, { ...thyroid, provider_id: 'NEW', slug: 'new', analytes: [newMarker] }]);
    const { id } = await newest();
    expect(await replayMessage(orders.app.ctx, id)).toEqual({ state: 'applied', reason: null });
    const answer = await orders.results(order.id);
    expect(answer.results.map(({ result, status }) => [result, status])).toEqual([
      ['480', 'final'],
      ['5.1', 'final'],
      ['1', 'final'],
    ]);
    expect([await last(), await inReview()]).toEqual(['completed', false]);
    expect((await orders.events(order.id)).filter((event) => event === 'critical')).toHaveLength(1);
    expect(await newest()).toMatchObject({ state: 'applied', waits: null, partly_applied: false });
  });

  test('that is discarded does not keep its test open', async () => {
    await orders.send([PID, obr(order.number, 'MET', 'F'), CRITICAL, obx('A1C', '5.1'), UNMAPPED]);
    await discardMessage(orders.app.ctx, (await newest()).id);
    expect([await last(), await inReview()]).toEqual(['completed', false]);
    expect(await newest()).toMatchObject({ state: 'discarded', reason: 'discarded' });
  });

  test('keeps only its own test open', async () => {
    order = await orders.walkIn(['MET', 'THY']);
    await orders.send([
      PID,
      obr(`${order.number}-1`, 'MET', 'F'),
      UNMAPPED,
      obr(`${order.number}-2`, 'THY', 'F'),
      obx('TSH', '2'),
      obx('FT4', '1.1'),
    ]);
    await orders.send([PID, obr(`${order.number}-1`, 'MET', 'F', '20260123100000'), obx('GLU', '90'), obx('A1C', '5')]);
    expect(await last()).toBe('completed');
    expect((await orders.results(order.id)).results.map(({ result }) => result)).toEqual(['90', '5', '2', '1.1']);
  });

  test('of a message without other content waits with the whole message, and the order is in review', async () => {
    expect(await orders.send([PID, obr(order.number, 'MET', 'F'), UNMAPPED])).toBe('AE unmapped_code');
    expect((await orders.results(order.id)).code).toBe('results_not_available');
    expect(await inReview()).toBe(true);
    const listed = await orders.app.team.api<{ orders: object[] }>('GET', '/v3/orders?size=1');
    expect(listed.body.orders).toMatchObject([{ id: order.id, has_results_in_review: true }]);
    await discardMessage(orders.app.ctx, (await newest()).id);
    expect((await orders.results(order.id)).code).toBe('results_not_available');
    expect(await inReview()).toBe(false);
  });

  test('is replayed without a change while it is not mapped', async () => {
    await orders.send([PID, obr(order.number, 'MET', 'F'), CRITICAL, UNMAPPED]);
    const [before, events] = [await orders.read(order.id), await orders.events(order.id)];
    await replayAll(orders.app.ctx, 'saguaro-lab');
    expect([await orders.read(order.id), await orders.events(order.id)]).toEqual([before, events]);
  });
});

test.each([
  ['an invalid type', 'OBX|2|ZZ|A1C^A1c^L||5.1|%|||||F', 'value_not_of_type'],
  ['no status', 'OBX|2|NM|A1C^A1c^L||5.1|%||||', 'missing_obx_11'],
  ['an invalid status', 'OBX|2|NM|A1C^A1c^L||5.1|%|||||Q', 'wrong_obx_11'],
])('a value with %s does not delay the others', async (_, value, reason) => {
  expect(await orders.send([PID, obr(order.number, 'MET', 'F'), CRITICAL, value])).toBe(`AE ${reason}`);
  expect((await orders.results(order.id)).results.map(({ result }) => result)).toEqual(['480']);
});

describe('a value before any OBR', () => {
  const SET_ASIDE = 'A part of the report could not be read and was set aside.';

  test('keeps every test of its message open, and nothing is reported as missing meanwhile', async () => {
    order = await orders.walkIn(['MET', 'THY']);
    const message = [
      PID,
      obx('TSH', '90', { flag: 'HH' }),
      obr(`${order.number}-1`, 'MET', 'F'),
      obx('GLU', '80'),
      obx('A1C', '5'),
      obr(`${order.number}-2`, 'THY', 'F'),
      obx('FT4', '1.1'),
    ];
    expect(await orders.send(message)).toBe('AE observation_without_request');
    expect(await orders.results(order.id)).toMatchObject({
      metadata: { status: 'partial' },
      has_results_in_review: true,
      missing_results: [],
    });
    expect(await last()).toBe('partial_results');
    await discardMessage(orders.app.ctx, (await newest()).id);
    const { missing_results, results } = await orders.results(order.id);
    expect(missing_results.map(({ note }) => note)).toEqual([SET_ASIDE]);
    expect(results.map(({ result }) => result)).toEqual(['80', '5', '1.1']);
    expect([await last(), await inReview()]).toEqual(['completed', false]);
  });

  test('of the only test keeps the order open, and its discard is shown also after a later report', async () => {
    await orders.send([PID, obx('GLU', '500', { flag: 'HH' }), obr(order.number, 'MET', 'F'), obx('A1C', '5')]);
    expect(await orders.results(order.id)).toMatchObject({ metadata: { status: 'partial' }, missing_results: [] });
    await discardMessage(orders.app.ctx, (await newest()).id);
    const later = '20260123100000';
    await orders.send([PID, obr(order.number, 'MET', 'C', later), obx('A1C', '5.2', { status: 'C' })]);
    const { missing_results } = await orders.results(order.id);
    expect(missing_results.map(({ slug, note }) => [slug.endsWith('glucose'), note])).toEqual([[true, SET_ASIDE]]);
  });
});

test('an OBR with an invalid status keeps its test open even if another OBR states that it is final', async () => {
  await orders.send([PID, obr(order.number, 'MET', 'Q'), CRITICAL, obr(order.number, 'MET', 'F'), obx('A1C', '5')]);
  expect(await orders.results(order.id)).toMatchObject({ metadata: { status: 'partial' }, missing_results: [] });
  expect(await last()).toBe('partial_results');
});
