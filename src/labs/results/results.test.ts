import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../test/test-app.ts';
import {
  lowStatuses,
  orderKit,
  physician,
  readOrder,
  registeredKit,
  simulate,
  type OrderBody,
} from '../../../test/factories.ts';
import { publishedTo } from '../../../test/publish-event.ts';
import { openReport } from './sealed.ts';

type Result = {
  name: string;
  slug: string;
  value: number;
  result: string;
  type: string;
  result_type: string;
  unit: string | null;
  interpretation: string;
  loinc: string | null;
  reference_range: string | null;
  min_range_value: number | null;
  max_range_value: number | null;
  is_above_max_range: boolean | null;
  is_below_min_range: boolean | null;
  notes: string | null;
  source_markers: { slug: string }[];
};
type Results = {
  code: string;
  metadata: Record<string, unknown>;
  results: Result[];
  missing_results: { slug: string; inferred_failure_type: string }[];
  sample_information: Record<string, { sample_id: string }>;
  order_transaction: object;
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const read = (orderId: string, of = '', options: { key?: null } = {}): Promise<Answer<Results>> =>
  app.api<Results>('GET', `/v3/order/${orderId}/result${of}`, undefined, options);

async function completed(flags?: object, query = ''): Promise<{ order: OrderBody; body: Results }> {
  const { id } = await registeredKit(app.team);
  await simulate(app.team, id, query, flags);
  return { order: await readOrder(app.team, id), body: (await read(id)).body };
}

const critical = async (order: OrderBody): Promise<Record<string, unknown>[]> =>
  (await publishedTo(app, app.team))
    .filter(({ event_type, user_id }) => event_type === 'labtest.result.critical' && user_id === order.user_id)
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>);

describe('before the laboratory has reported', () => {
  test.each(['', '/metadata'])('result%s answers 404 results_not_available, at each status', async (of) => {
    const order = await orderKit(app.team);
    const registered = await registeredKit(app.team);
    await simulate(app.team, registered.id, '?final_status=sample_with_lab.testkit.lab_processing_blocked');
    for (const { id } of [order, registered]) {
      const answer = await read(id, of);
      expect([answer.status, answer.body.code]).toEqual([404, 'results_not_available']);
    }
  });

  test('and after the laboratory refused the sample, reading answers results_not_available', async () => {
    const { order } = await completed(undefined, '?final_status=failed.testkit.sample_error');
    expect([(await read(order.id)).body.code, order.interpretation]).toEqual(['results_not_available', null]);
  });
});

describe('the results', () => {
  test("are one for each analyte of the test's markers, with its LOINC code and unit", async () => {
    const { order, body } = await completed();
    const { rows: expected } = await sql<{ slug: string; loinc: string; unit: string; marker: string }>`
      select distinct on (analytes.id)
             analytes.slug, analytes.loinc_code as loinc, analytes.unit, markers.slug as marker
        from lab_test_markers join markers on markers.id = marker_id join marker_analytes using (marker_id)
        join analytes on analytes.id = analyte_id
       where lab_test_id = ${(order['lab_test'] as { id: string }).id}
       order by analytes.id, lab_test_markers.position`.execute(app.db);
    expect(expected.length).toBeGreaterThan(5);
    const shown = body.results.map(({ slug, loinc, unit, source_markers }) => ({
      slug,
      loinc,
      unit,
      marker: source_markers[0]?.slug,
    }));
    const bySlug = (a: { slug: string }, b: { slug: string }): number => a.slug.localeCompare(b.slug);
    expect(shown.toSorted(bySlug)).toEqual(expected.toSorted(bySlug));
  });

  test('of numeric type repeat the number as value, lie within their range and are normal', async () => {
    const { order, body } = await completed();
    for (const result of body.results) {
      expect([result.type, result.result_type]).toEqual(['numeric', 'numeric']);
      expect(Number(result.result)).toBe(result.value);
      expect(result.value).toBeGreaterThanOrEqual(result.min_range_value ?? -Infinity);
      expect(result.value).toBeLessThanOrEqual(result.max_range_value ?? Infinity);
      expect(result.interpretation).toBe('normal');
      expect([result.is_above_max_range, result.is_below_min_range]).toEqual([
        result.max_range_value === null ? null : false,
        result.min_range_value === null ? null : false,
      ]);
    }
    expect([order.interpretation, order['has_missing_results'], body.missing_results]).toEqual(['normal', false, []]);
  });

  test.each(['range', 'comment', 'coded_value'])('of type %s have a text to read and the value -1', async (type) => {
    const { body } = await completed({ result_types: [type] });
    for (const result of body.results) {
      expect([result.type, result.result_type, result.value]).toEqual([type, type, -1]);
      expect(result.result).toMatch(type === 'range' ? /^[<>]\d+(\.\d+)?$/ : /[a-z]/i);
      if (type !== 'coded_value') expect(result.notes).toBe(result.result);
    }
  });

  test('of several types alternate between the types', async () => {
    const { body } = await completed({ result_types: ['numeric', 'comment'] });
    expect(body.results.map((result) => result.type)).toEqual(
      body.results.map((_, index) => (index % 2 === 0 ? 'numeric' : 'comment')),
    );
    expect(body.results.map((result) => result.value === -1)).toEqual(body.results.map((_, index) => index % 2 === 1));
  });

  test.each(['abnormal', 'critical', 'unknown'])(
    'are %s if requested, and so are the order and the list',
    async (interpretation) => {
      const { order, body } = await completed({ interpretation });
      expect(body.results.map((result) => result.interpretation).toSorted()).toEqual(
        [interpretation, ...body.results.slice(1).map(() => 'normal')].toSorted(),
      );
      expect([order.interpretation, body.metadata['interpretation']]).toEqual([interpretation, interpretation]);
      const worst = body.results.find((result) => result.interpretation === interpretation) as Result;
      expect(worst.is_above_max_range === true || worst.is_below_min_range === true).toBe(interpretation !== 'unknown');
      const list = await app.api<{ orders: OrderBody[] }>(
        'GET',
        `/v3/orders?interpretation=${interpretation}&order_ids=${order.id}`,
      );
      expect(list.body.orders.map(({ id }) => id)).toEqual([order.id]);
    },
  );

  test('that are missing are named, and the order has has_missing_results', async () => {
    const whole = await completed();
    const { order, body } = await completed({ has_missing_results: true });
    expect(order['has_missing_results']).toBe(true);
    expect(body.missing_results).toMatchObject([
      { slug: whole.body.results.at(-1)?.slug, inferred_failure_type: 'quantity_not_sufficient_failure' },
    ]);
    expect(body.results.map(({ slug }) => slug)).toEqual(whole.body.results.slice(0, -1).map(({ slug }) => slug));
  });

  test('name the patient and the laboratory that reported them', async () => {
    const { order, body } = await completed();
    expect(body.metadata).toMatchObject({
      patient: 'Grace Palmer',
      dob: '1988-04-12',
      age: expect.stringMatching(/^\d\d$/),
      specimen_number: order.sample_id,
      status: 'final',
      patient_id: order.user_id,
      laboratory: (order['lab_test'] as { lab: { name: string } }).lab.name,
    });
    expect((await read(order.id, '/metadata')).body).toEqual(body.metadata);
    expect(body.sample_information[order.sample_id as string]).toMatchObject({ sample_id: order.sample_id });
    expect(body.order_transaction).toEqual(order.order_transaction);
  });
});

describe('a critical result', () => {
  test('is published as an event of its own, with ids only', async () => {
    const { order } = await completed({ interpretation: 'critical' });
    const [event, ...further] = await critical(order);
    expect(further).toEqual([]);
    expect(event).toEqual({
      event_type: 'labtest.result.critical',
      team_id: app.team.id,
      user_id: order.user_id,
      client_user_id: expect.stringMatching(/^user-/),
      data: {
        order_id: order.id,
        sample_id: order.sample_id,
        status: 'final',
        interpretation: 'critical',
        team_id: app.team.id,
        user_id: order.user_id,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    });
  });

  test.each([undefined, { interpretation: 'normal' }, { interpretation: 'abnormal' }, { interpretation: 'unknown' }])(
    'is not published for %j',
    async (flags) => {
      expect(await critical((await completed(flags)).order)).toEqual([]);
    },
  );
});

describe('a correction', () => {
  test('is answered from then on, and the corrected version stays stored', async () => {
    const { order, body: first } = await completed({ interpretation: 'abnormal' });
    await simulate(app.team, order.id, '?final_status=completed.testkit.corrected');
    const { body: second } = await read(order.id);
    expect(second.results.map(({ slug }) => slug)).toEqual(first.results.map(({ slug }) => slug));
    expect(second.results).not.toEqual(first.results);
    const corrected = await readOrder(app.team, order.id);
    expect([lowStatuses(corrected).at(-1), corrected.interpretation, second.metadata['interpretation']]).toEqual([
      'corrected',
      'normal',
      'normal',
    ]);
    const storedReports = await app.db
      .selectFrom('lab_results')
      .select(['team_id', 'order_id', 'version', 'status', 'interpretation'])
      .select(['metadata', 'results', 'missing_results', 'sample_information'])
      .where('order_id', '=', order.id)
      .orderBy('version')
      .execute();
    expect(storedReports).toMatchObject([
      { version: 1, status: 'final', interpretation: 'abnormal' },
      { version: 2, status: 'final', interpretation: 'normal' },
    ]);
    const team = { id: app.team.id, org_id: app.team.org_id, settings: {} };
    const openResults = storedReports.map((report) => openReport({ ...app.ctx, team }, report).results);
    // The stored history of a value has times of messages (`sent_at`), which no response shows.
    const shown = ({ key: _, as_of: __, history, ...others }: (typeof openResults)[number][number]): unknown => ({
      ...others,
      history: history.map(({ sent_at: ___, ...past }) => past),
    });
    expect(openResults.map((results) => results.map(shown))).toEqual([first.results, second.results]);
    await simulate(app.team, order.id, '?final_status=completed.testkit.corrected');
    expect(lowStatuses(await readOrder(app.team, order.id)).slice(-3)).toEqual(['completed', 'corrected', 'corrected']);
    expect((await read(order.id)).body.results).not.toEqual(second.results);
  });
});

test("an unknown order and another team's answer 404; a malformed id 422; no key 401", async () => {
  const other = await app.makeTeam();
  const theirs = await registeredKit(other);
  await simulate(other, theirs.id);
  for (const of of ['', '/metadata']) {
    for (const id of [randomUUID(), theirs.id]) {
      const answer = await read(id, of);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    expect((await read('7', of)).status).toBe(422);
    expect((await read(theirs.id, of, { key: null })).status).toBe(401);
  }
});

test('the results disappear with their user and come back with the undo', async () => {
  const { order, body } = await completed();
  await app.api('DELETE', `/v2/user/${order.user_id}`);
  expect((await read(order.id)).body.code).toBe('user_scheduled_for_deletion');
  await app.api('POST', `/v2/user/undo_delete?user_id=${order.user_id}`);
  expect((await read(order.id)).body).toEqual(body);
});

test("a report has the times of the order's own events, and the order's physician as its provider", async () => {
  const { order, body } = await completed();
  const at = (low: string): string | undefined =>
    order.events.find(({ status }) => status.endsWith(`.${low}`))?.created_at;
  expect(body.metadata).toMatchObject({
    date_collected: at('transit_lab'),
    date_received: at('delivered_to_lab'),
    provider: `${physician.first_name} ${physician.last_name}`,
  });
  expect([at('transit_lab'), at('delivered_to_lab')]).not.toContain(undefined);
  const reported = body.metadata['date_reported'] as string;
  expect(reported > (at('delivered_to_lab') as string)).toBe(true);
  const sample = Object.values(body.sample_information)[0] as unknown as Record<string, { timestamp: string }>;
  expect([sample['date_collected']?.timestamp, sample['date_received']?.timestamp]).toEqual([
    at('transit_lab'),
    at('delivered_to_lab'),
  ]);
});
