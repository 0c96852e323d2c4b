import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { lowStatuses, readOrder, registeredKit, simulate, type OrderBody } from '../../../test/factories.ts';
import { labOf, observed, receiveFor, reportOf, type Received } from '../../../test/lab-reports.ts';
import { placeOrder } from '../../../test/placed-orders.ts';
import { publishedTo } from '../../../test/publish-event.ts';
import type { LabReport, Observation } from './lab-report.ts';

type Result = {
  slug: string;
  result: string;
  unit: string | null;
  status: string;
  previous_result: string | null;
  interpretation: string;
  source_interpretation: string;
  source_markers: { slug: string }[] | null;
  performing_laboratory: string | null;
  loinc: string | null;
  history: Record<string, unknown>[];
};
type Results = {
  code: string;
  metadata: { status: string; interpretation: string };
  results: Result[];
  missing_results: { slug: string; inferred_failure_type: string; note: string | null }[];
};

let app: TestApp;
let order: OrderBody;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  order = await registeredKit(app.team);
});
afterAll(() => app.close());

const receive = (report: LabReport, of = order, team: Team = app.team): Promise<Received> =>
  receiveFor(app, { team, orderId: of.id, labId: labOf(of) }, report);
/** Stores a report with these values. The laboratory reported them on this day of January. */
const reportValues = (
  day: number,
  values: Partial<Observation>[],
  status: LabReport['status'] = 'final',
): Promise<Received> => receive(reportOf({ status, observations: values.map(observed) }, day));
const results = async (of = order.id, team: Team = app.team): Promise<Results> =>
  (await team.api<Results>('GET', `/v3/order/${of}/result`)).body;
const something = async (): Promise<Result | undefined> =>
  (await results()).results.find(({ slug }) => slug === 'something');
const eventsOf = async (team: Team, of: string): Promise<string[]> =>
  (await publishedTo(app, team))
    .map(({ event_type, body }) => ({ event_type, data: (JSON.parse(body) as { data: Record<string, unknown> }).data }))
    .filter(({ data }) => data['order_id'] === of || data['id'] === of)
    .map(({ event_type, data }) =>
      event_type === 'labtest.result.critical'
        ? `critical ${String(data['status'])}`
        : ((data['last_event'] as { status: string }).status.split('.')[2] as string),
    );

describe('a report beyond the bounds is refused before anything is stored:', () => {
  const many = (count: number): Observation[] =>
    Array.from({ length: count }, (_, n) => observed({ code: `M${n}`, name: `Many ${n}` }));
  const sample = { control_number: null, collected_at: null, received_at: null, clinical_information: null };
  const laboratory = { name: 'L', phone_number: null, medical_director: null, address: null };

  test.each<[string, Partial<LabReport>]>([
    ['too_many_observations', { observations: many(1_001) }],
    ['too_many_samples', { samples: Array.from({ length: 101 }, (_, n) => ({ ...sample, sample_id: `S${n}` })) }],
    [
      'too_many_laboratories',
      { performing_laboratories: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`L${n}`, laboratory])) },
    ],
    ['text_too_long', { observations: [observed({ notes: 'x'.repeat(65_537) })] }],
    ['text_too_long', { observations: [observed({ flags: Array.from({ length: 21 }, () => 'H') })] }],
    ['text_too_long', { provider: 'x'.repeat(4_001) }],
  ])('%s', async (code, changes) => {
    await expect(receive(reportOf(changes))).rejects.toMatchObject({ code });
    const isWithoutUser = receiveFor(app, { team: app.team, orderId: null, labId: labOf(order) }, reportOf(changes));
    await expect(isWithoutUser).rejects.toMatchObject({ code });
    expect((await app.team.api('GET', `/v3/order/${order.id}/result`)).status).toBe(404);
  });

  test('order_full, if earlier reports have filled the order', async () => {
    const part = (name: string): Promise<Received> =>
      receive(reportOf({ observations: many(1_000).map((each, n) => ({ ...each, code: `${name}${n}` })) }));
    expect([await part('A'), await part('B')]).toEqual(['stored', 'stored']);
    await expect(part('C')).rejects.toMatchObject({ code: 'order_full' });
    expect((await results()).results.length).toBeLessThanOrEqual(2_000);
    const simulated = await app.team.api<{ code: string }>('POST', `/v3/order/${order.id}/test`, {});
    expect([simulated.status, simulated.body.code]).toEqual([400, 'status_not_reachable']);
  });
});

describe('a report', () => {
  test('is read, interpreted, and matched with ordered analytes by slug, LOINC or a unique code', async () => {
    const { rows } = await sql<{ slug: string; loinc_code: string; marker: string }>`
      select distinct on (analytes.id) analytes.slug, loinc_code, markers.slug as marker from lab_test_markers
        join markers on markers.id = marker_id join marker_analytes using (marker_id)
        join analytes on analytes.id = analyte_id
       where lab_test_id = ${(order['lab_test'] as { id: string }).id} and loinc_code is not null
        order by analytes.id`.execute(app.db);
    const [first, second] = rows as [(typeof rows)[0], (typeof rows)[0]];
    await reportValues(7, [
      { loinc: first.loinc_code, code: 'OWN', name: 'As the lab calls it', unit: 'mEq/L', flags: ['H', 'HH'] },
      { analyte_slug: second.slug, text: '3' },
      { code: 'X9', name: 'Not asked for', text: 'Trace', kind: 'comment', reference_range: 'Negative', unit: null },
    ]);
    const answer = await results();
    expect(answer.results.find(({ slug }) => slug === first.slug)).toMatchObject({
      unit: 'meq/L',
      interpretation: 'critical',
      source_interpretation: 'H~HH',
      source_markers: [{ slug: first.marker }],
      loinc: first.loinc_code,
      performing_laboratory: 'Lab',
      status: 'final',
    });
    expect(answer.results.find(({ slug }) => slug === second.slug)).toMatchObject({ interpretation: 'normal' });
    expect(answer.results.at(-1)).toMatchObject({
      slug: 'not-asked-for',
      source_markers: null,
      interpretation: 'unknown',
    });
    expect((await readOrder(app.team, order.id)).interpretation).toBe('critical');
  });

  test('that is final names the ordered values that it lacks', async () => {
    await reportValues(7, [{}]);
    const { missing_results } = await results();
    expect(missing_results.length).toBeGreaterThan(5);
    expect(missing_results[0]).toMatchObject({
      inferred_failure_type: 'unknown_failure',
      note: "Not in the laboratory's final report.",
    });
    expect((await readOrder(app.team, order.id))['has_missing_results']).toBe(true);
  });

  test('that is partial can be read while the order waits at the laboratory; a final one completes it', async () => {
    await reportValues(7, [{ status: 'partial' }], 'partial');
    expect((await results()).metadata.status).toBe('partial');
    expect(lowStatuses(await readOrder(app.team, order.id)).at(-1)).toBe('delivered_to_lab');
    await reportValues(8, [{}]);
    expect((await results()).metadata.status).toBe('final');
    expect(await something()).toMatchObject({ status: 'final', previous_result: null });
    expect(lowStatuses(await readOrder(app.team, order.id)).at(-1)).toBe('completed');
  });

  test('that is repeated, or older and late, changes no value and publishes nothing', async () => {
    await reportValues(7, [{ text: '6' }]);
    await reportValues(9, [{ text: '8', status: 'corrected' }], 'corrected');
    const [before, events] = [await readOrder(app.team, order.id), await eventsOf(app.team, order.id)];
    const answer = await results();
    expect(await reportValues(9, [{ text: '8', status: 'corrected' }], 'corrected')).toBe('unchanged');
    expect(await reportValues(7, [{ text: '6' }])).toBe('unchanged');
    expect(await reportValues(10, [{ text: '8' }])).toBe('unchanged');
    expect(await reportValues(11, [{ text: '1', status: 'partial' }], 'partial')).toBe('unchanged');
    expect([await readOrder(app.team, order.id), await eventsOf(app.team, order.id)]).toEqual([before, events]);
    const plain = ({ results: values, ...others }: Results): unknown => [
      others,
      values.map((value) => ({ ...value, history: null })),
    ];
    const after = await results();
    expect(plain(after)).toEqual(plain(answer));
    const history = after.results.find(({ slug }) => slug === 'something')?.history;
    expect(history).toMatchObject([
      { result: '6', status: 'final', came_late: false },
      { result: '1', status: 'partial', came_late: true },
    ]);
  });
});

describe('a correction', () => {
  test('marks a changed value with its old value, keeps all others, and is interpreted again', async () => {
    await reportValues(7, [{ text: '7' }, { code: 'X2', name: 'Other', text: '4' }]);
    expect((await readOrder(app.team, order.id)).interpretation).toBe('abnormal');
    await reportValues(8, [{ text: '4.5', status: 'corrected' }], 'corrected');
    expect(await something()).toMatchObject({
      result: '4.5',
      status: 'corrected',
      previous_result: '7 mg/dL',
      interpretation: 'normal',
    });
    expect((await results()).results.find(({ slug }) => slug === 'other')).toMatchObject({
      status: 'final',
      previous_result: null,
    });
    const corrected = await readOrder(app.team, order.id);
    expect([corrected.interpretation, lowStatuses(corrected).at(-1)]).toEqual(['normal', 'corrected']);
    // The value keeps the status `corrected` when another value is corrected. All three versions stay stored.
    await reportValues(9, [{ code: 'X2', name: 'Other', text: '3', status: 'corrected' }], 'corrected');
    expect(await something()).toMatchObject({ status: 'corrected', previous_result: '7 mg/dL' });
    const { rows } = await sql`select version from lab_results where order_id = ${order.id}`.execute(app.db);
    expect(rows).toHaveLength(3);
  });

  test('that has the status final is a correction too', async () => {
    await reportValues(7, [{ text: '7' }]);
    await reportValues(8, [{ text: '6' }]);
    expect(await something()).toMatchObject({ status: 'corrected', previous_result: '7 mg/dL' });
  });
});

describe('a value', () => {
  test('that is withdrawn is never shown again, even if an older message with it comes late', async () => {
    await reportValues(7, [{ text: '987.65' }, { code: 'X2', name: 'Other', text: '4' }]);
    await reportValues(9, [{ text: '', status: 'withdrawn' }], 'corrected');
    expect(await receive(reportOf({ observations: [observed({ text: '987.65' })] }, 8))).toBe('unchanged');
    const answer = await app.api('GET', `/v3/order/${order.id}/result`);
    expect(JSON.stringify(answer.body)).not.toContain('987.65');
    expect((await results()).results.map(({ slug }) => slug)).toEqual(['other']);
    expect((await results()).missing_results).toContainEqual(
      expect.objectContaining({ slug: 'something', note: 'The laboratory withdrew this value.' }),
    );
    expect((await readOrder(app.team, order.id))['has_missing_results']).toBe(true);
    // A value that comes later is not a correction of the withdrawn one.
    await reportValues(10, [{ text: '5' }]);
    expect(await something()).toMatchObject({ result: '5', previous_result: null });
  });

  test('that is cancelled after it was final is missing, and its note says so only once', async () => {
    await reportValues(7, [{ text: '5' }]);
    const gone = async (): Promise<unknown> =>
      (await results()).missing_results.find(({ slug }) => slug === 'something');
    for (const [day, text] of [
      [8, 'TNP'],
      [9, 'QNS'],
    ] as const) {
      await reportValues(day, [{ text, status: 'not_obtained', kind: 'comment' }], 'corrected');
      expect(await gone()).toMatchObject({
        note: `The laboratory cancelled this value after it was reported.\n${text}`,
      });
      expect(await something()).toBeUndefined();
    }
    await reportValues(10, [{ text: '6' }]);
    expect([await gone(), (await something())?.['result']]).toEqual([undefined, '6']);
  });

  test.each([
    ['QNS', null, 'quantity_not_sufficient_failure'],
    ['TNP', 'Specimen grossly hemolyzed', 'collection_process_failure'],
    ['TNP', 'Specimen too old', 'drop_off_failure'],
    ['', 'Laboratory accident', 'internal_lab_failure'],
    ['', 'Insufficient volume', 'insufficient_volume'],
    ['TNP', null, 'unknown_failure'],
  ])('that was not obtained (%s, %s) is missing for the reason %s', async (text, notes, reason) => {
    await reportValues(7, [{ text, notes, status: 'not_obtained', kind: 'comment' }]);
    const missing = (await results()).missing_results.find(({ slug }) => slug === 'something');
    expect(missing).toMatchObject({
      inferred_failure_type: reason,
      note: [text, notes].filter(Boolean).join('\n'),
    });
    await reportValues(8, [{ text: '4' }]);
    expect((await results()).missing_results.some(({ slug }) => slug === 'something')).toBe(false);
    expect(await something()).toMatchObject({ result: '4' });
  });
});

describe('a critical result', () => {
  const critical = async (): Promise<number> =>
    (await eventsOf(app.team, order.id)).filter((event) => event.startsWith('critical')).length;

  test('is published once, even if it is repeated, and again for another value', async () => {
    const flags = ['HH'];
    await reportValues(7, [{ text: '700', flags, status: 'partial' }], 'partial');
    expect(await critical()).toBe(1);
    await reportValues(8, [{ text: '700', flags }]);
    await reportValues(9, [
      { text: '700', flags },
      { code: 'X2', name: 'Other', text: '4' },
    ]);
    expect(await critical()).toBe(1);
    await reportValues(10, [{ text: '710', flags, status: 'corrected' }], 'corrected');
    expect(await critical()).toBe(2);
    await reportValues(11, [{ code: 'X3', name: 'Third', text: '1', flags: ['LL'] }], 'corrected');
    expect(await critical()).toBe(3);
  });
});

describe('partial results of an order', () => {
  const partial = '?final_status=sample_with_lab.walk_in_test.partial_results';

  test('are published only if the team wants it, but a critical result is always published', async () => {
    const team = await app.makeTeam();
    const quiet = await placeOrder(app, team, 'walk_in_test');
    await simulate(team, quiet, partial, { interpretation: 'critical' });
    expect(await eventsOf(team, quiet)).toEqual(['ordered', 'requisition_created', 'critical partial']);
    expect((await results(quiet, team)).metadata).toMatchObject({ status: 'partial', interpretation: 'critical' });
    await sql`update teams set settings = '{"partial_webhooks_enabled": true}' where id = ${team.id}`.execute(app.db);
    const walkIn = await placeOrder(app, team, 'walk_in_test');
    await simulate(team, walkIn, partial);
    await simulate(team, walkIn, partial);
    await simulate(team, walkIn);
    expect(await eventsOf(team, walkIn)).toEqual([
      'ordered',
      'requisition_created',
      'partial_results',
      'partial_results',
      'completed',
    ]);
  });
});
