// If the laboratory cannot perform a test, only that test fails. The order fails if no test can bring a result.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lowStatuses } from '../../../../test/factories.ts';
import { obr, obx, PID, startLaboratoryOrders, type LaboratoryOrders } from '../../../../test/hl7-orders.ts';

const hiv = {
  provider_id: 'HIV',
  slug: 'hiv',
  name: 'HIV 1/2 antigen and antibodies',
  type: 'biomarker',
  price: '25.00',
  analytes: [{ code: 'HIVAB', slug: 'saguaro-hiv', name: 'HIV 1/2 Ag/Ab', loinc_code: '56888-1' }],
};
const REACTIVE = 'OBX|1|ST|HIVAB^HIV^L||Reactive|||AA|||F';
const rejectedBy = (reason: string): string => `SPM|1|S1||SER^Serum^HL70487|||||||||||||||||${reason}`;
const rejected = (code: string): string => rejectedBy(`${code}^Rejected^HL70490`);

let orders: LaboratoryOrders;
beforeAll(async () => {
  orders = await startLaboratoryOrders([hiv]);
});
afterAll(() => orders.close());

const transaction = async (id: string): Promise<unknown> => (await orders.read(id)).order_transaction;
const siblings = async (id: string): Promise<unknown[]> => ((await transaction(id)) as { orders: unknown[] }).orders;
async function observationStatuses(id: string): Promise<string[]> {
  type Resource = { resourceType: string; status: string };
  const { body } = await orders.app.team.api<{ entry: { resource: Resource }[] }>('GET', `/v3/order/${id}/result/fhir`);
  const resources = body.entry.map(({ resource }) => resource);
  return resources.filter(({ resourceType }) => resourceType === 'Observation').map(({ status }) => status);
}
const statuses = async (id: string): Promise<string[]> => lowStatuses(await orders.read(id));
type Unmatched = {
  id: string;
  decision_code: string;
  interpretation: string;
  candidate_groups: { user_id: string; candidates: unknown[] }[];
};
const unmatchedOf = async (orderId: string): Promise<Unmatched[]> =>
  (await orders.app.team.api<{ data: Unmatched[] }>('GET', '/v3/unmatched_result')).body.data.filter((each) =>
    JSON.stringify(each.candidate_groups).includes(orderId),
  );

describe('a rejected sample of one of two tests', () => {
  test.each(['X', 'I'])(
    'fails only that test, and the critical result of the other one is applied (%s)',
    async (status) => {
      const { id, number } = await orders.walkIn(['MET', 'HIV']);
      const refused = 'OBX|1|NM|GLU^GLU^L||||||||X';
      expect(
        await orders.send([
          PID,
          obr(`${number}-1`, 'MET', status),
          ...(status === 'X' ? [refused] : []),
          rejected('QS'),
        ]),
      ).toBe('AA');
      expect((await statuses(id)).at(-1)).toBe('partial_results');
      const missing = (await orders.results(id)).missing_results;
      expect(missing.map(({ slug, inferred_failure_type }) => [slug, inferred_failure_type])).toEqual([
        ['saguaro-glucose', 'quantity_not_sufficient_failure'],
        ['saguaro-hba1c', 'quantity_not_sufficient_failure'],
      ]);
      expect(await orders.send([PID, obr(`${number}-2`, 'HIV', 'F'), REACTIVE])).toBe('AA');
      expect((await statuses(id)).slice(-2)).toEqual(['partial_results', 'completed']);
      expect((await orders.events(id)).slice(-3).toSorted()).toEqual(['completed', 'critical', 'partial_results']);
      expect((await orders.results(id)).results).toMatchObject([{ slug: 'saguaro-hiv', result: 'Reactive' }]);
    },
  );

  test('fails only that test if the same message has the result of the other one', async () => {
    const { id, number } = await orders.kit(['MET', 'HIV']);
    await orders.send([
      PID,
      obr(`${number}-1`, 'MET', 'X'),
      rejected('RH'),
      obr(`${number}-2`, 'HIV', 'F'),
      REACTIVE,
      'SPM|1|S2||SER^Serum^HL70487',
    ]);
    expect((await statuses(id)).at(-1)).toBe('completed');
    expect((await orders.results(id)).missing_results).toMatchObject([
      { slug: 'saguaro-glucose', inferred_failure_type: 'collection_process_failure' },
      { slug: 'saguaro-hba1c' },
    ]);
  });
});

describe('a problem with a sample', () => {
  test.each([
    ['RA^Missing patient ID^HL70490', 'The sample came without the id of the patient.'],
    ['rd', 'The sample came without the date of collection.'],
    ['ZZ^Spilled^L', 'The laboratory has rejected the sample: Spilled.'],
  ])(
    'that ends no test leaves the status of the order, and its results and an event report it (%s)',
    async (code, words) => {
      const { id, number } = await orders.walkIn(['MET', 'HIV']);
      const before = (await orders.events(id)).length;
      expect(await orders.send([PID, obr(`${number}-1`, 'MET', 'I'), rejectedBy(code)])).toBe('AA');
      expect((await orders.events(id)).slice(before)).toEqual(['requisition_bypassed']);
      const { results, missing_results } = await orders.results(id);
      expect(results).toEqual([]);
      expect(missing_results.map(({ slug, note }) => [slug, note])).toEqual([
        ['saguaro-glucose', words],
        ['saguaro-hba1c', words],
      ]);
      expect(await observationStatuses(id)).toEqual(['registered', 'registered']);
      await orders.send([PID, obr(`${number}-1`, 'MET', 'F'), obx('GLU', '90'), obx('A1C', '5')]);
      expect((await orders.results(id)).missing_results).toEqual([]);
      expect((await statuses(id)).at(-1)).toBe('partial_results');
    },
  );

  test('is not reported once the laboratory goes on with the test', async () => {
    const { id, number } = await orders.walkIn(['MET']);
    await orders.send([PID, obr(number, 'MET', 'I'), rejectedBy('RE')]);
    await orders.send([PID, obr(number, 'MET', 'P'), obx('GLU', '90', { status: 'P' })]);
    expect((await orders.results(id)).missing_results).toEqual([]);
  });

  test('of a cancelled order is not reported', async () => {
    const { id, number } = await orders.walkIn(['MET']);
    await orders.app.team.api('POST', `/v3/order/${id}/cancel`);
    expect(await orders.send([PID, obr(number, 'MET', 'I'), rejectedBy('RA')])).toBe('AA');
    expect((await orders.results(id)).code).toBe('results_not_available');
    expect((await orders.messages()).at(-1)).toMatchObject({ state: 'applied', reason: 'order_ended' });
  });

  test('is recognised by the code of the standard next to one of the laboratory', async () => {
    const { id, number } = await orders.walkIn(['MET']);
    await orders.send([
      PID,
      obr(number, 'MET', 'I'),
      rejectedBy('QNS^Too little^L^QS^Quantity not sufficient^HL70490'),
    ]);
    expect((await statuses(id)).at(-1)).toBe('redraw_available');
  });

  test('is a note of the values that were reported nevertheless', async () => {
    const { id, number } = await orders.walkIn(['MET']);
    await orders.send([PID, obr(number, 'MET', 'F'), obx('GLU', '90'), obx('A1C', '5'), rejectedBy('RH')]);
    expect((await statuses(id)).at(-1)).toBe('completed');
    expect((await orders.results(id)).results.map((result) => result['notes'])).toEqual([
      'The sample was hemolyzed.',
      'The sample was hemolyzed.',
    ]);
  });
});

describe('an order for which no result can come any more', () => {
  test('by kit fails with the reason and gets a redraw', async () => {
    const { id, number } = await orders.kit(['MET', 'HIV']);
    await orders.send([PID, obr(`${number}-1`, 'MET', 'X'), rejected('QS')]);
    expect((await statuses(id)).at(-1)).toBe('delivered_to_lab');
    await orders.send([PID, obr(`${number}-2`, 'HIV', 'X'), rejected('QS')]);
    const order = await orders.read(id);
    expect(order['last_event']).toMatchObject({
      status: 'failed.testkit.sample_error',
      status_detail: 'sample_quantity_not_sufficient',
    });
    expect(await siblings(id)).toMatchObject([{ id }, { origin: 'redraw', parent_id: id }]);
    expect((await orders.results(id)).missing_results).toHaveLength(3);
  });

  test('by walk-in waits for a redraw, which is sent to the laboratory', async () => {
    const { id, number } = await orders.walkIn(['MET']);
    const before = orders.laboratory.orders.length;
    await orders.send([PID, obr(number, 'MET', 'X'), rejected('RH')]);
    const order = await orders.read(id);
    expect(order['last_event']).toMatchObject({
      status: 'collecting_sample.walk_in_test.redraw_available',
      status_detail: 'sample_hemolyzed',
    });
    expect(order.order_transaction).toMatchObject({ status: 'active', orders: [{ id }, { origin: 'redraw' }] });
    await orders.app.runJobs();
    expect(orders.laboratory.orders.length).toBe(before + 1);
    await orders.send([PID, obr(number, 'MET', 'X'), rejected('RH')]);
    expect(await siblings(id)).toHaveLength(2);
  });

  test('because the laboratory cancelled its test fails without a redraw', async () => {
    const { id, number } = await orders.walkIn(['MET']);
    await orders.send([PID, obr(number, 'MET', 'X')]);
    expect((await statuses(id)).at(-1)).toBe('sample_error');
    expect(await siblings(id)).toHaveLength(1);
  });

  test('does not include an order that has a value', async () => {
    const { id, number } = await orders.walkIn(['MET', 'HIV']);
    await orders.send([PID, obr(`${number}-2`, 'HIV', 'F'), REACTIVE]);
    await orders.send([PID, obr(`${number}-1`, 'MET', 'X'), rejected('QS')]);
    expect((await statuses(id)).at(-1)).toBe('completed');
  });
});

describe('a result for an order that has ended', () => {
  test('by failing goes to the team with a critical event, and the team can assign it to the order', async () => {
    const { id, user_id, number } = await orders.kit(['HIV']);
    await orders.send([PID, obr(number, 'HIV', 'X'), rejected('QS')]);
    expect((await statuses(id)).at(-1)).toBe('sample_error');
    expect(await orders.send([PID, obr(number, 'HIV', 'F'), REACTIVE], { controlId: 'LATE1' })).toBe('AA');
    expect((await orders.messages()).find(({ control_id }) => control_id === 'LATE1')).toMatchObject({
      state: 'applied',
      reason: 'unmatched',
    });
    const [unmatched, ...more] = await unmatchedOf(id);
    expect(more).toEqual([]);
    expect(unmatched).toMatchObject({
      decision_code: 'wrong_collection',
      interpretation: 'critical',
    });
    const group = unmatched?.candidate_groups.find((each) => each.user_id === user_id);
    expect(group?.candidates[0]).toMatchObject({ order_id: id, candidate_type: 'provenance_order' });
    expect((await orders.events(id)).at(-1)).toBe('critical');
    expect(await orders.send([PID, obr(number, 'HIV', 'F'), REACTIVE], { at: '20260122113000' })).toBe('AA');
    expect(await unmatchedOf(id)).toHaveLength(1);

    const before = await statuses(id);
    const accepted = await orders.app.team.api('POST', `/v3/unmatched_result/${unmatched?.id}/accept`, {
      order_id: id,
    });
    expect(accepted.status).toBe(200);
    expect(await statuses(id)).toEqual(before);
    expect((await orders.results(id)).results).toMatchObject([{ slug: 'saguaro-hiv', result: 'Reactive' }]);
  });

  test('by cancellation goes to the team as critical', async () => {
    const { id, number } = await orders.walkIn(['HIV']);
    await orders.app.team.api('POST', `/v3/order/${id}/cancel`);
    expect(await orders.send([PID, obr(number, 'HIV', 'F'), REACTIVE])).toBe('AA');
    expect(await unmatchedOf(id)).toMatchObject([{ decision_code: 'match_cancelled', interpretation: 'critical' }]);
    expect((await orders.events(id)).slice(-2)).toEqual(['cancelled', 'critical']);
  });

  test('by completion is applied as a correction', async () => {
    const { id, number } = await orders.walkIn(['MET']);
    await orders.send([PID, obr(number, 'MET', 'F'), obx('GLU', '88'), obx('A1C', '5.1')]);
    await orders.send([PID, obr(number, 'MET', 'C', '20260123100000'), obx('GLU', '480', { status: 'C', flag: 'HH' })]);
    expect((await statuses(id)).at(-1)).toBe('corrected');
    expect((await orders.events(id)).slice(-2).toSorted()).toEqual(['corrected', 'critical']);
  });
});
