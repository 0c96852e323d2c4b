// Orders of several tests. The laboratory reports each test when its result is ready.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import {
  lowStatuses,
  makeUser,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
  simulate,
} from '../../../../test/factories.ts';
import {
  addLabTest,
  byMllp,
  connectTestLaboratory,
  kitAtLaboratory,
  thyroid,
} from '../../../../test/hl7-deployment.ts';
import { sendFrame, startHl7Laboratory, text_, type Hl7Laboratory } from '../../../../test/hl7-laboratory.ts';
import { fetchPdf, textOf } from '../../../../test/pdf.ts';
import { publishedTo } from '../../../../test/publish-event.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

type Results = {
  metadata: { status: string };
  results: { slug: string; result: string; status: string }[];
  missing_results: { slug: string; note: string }[];
};
type Group = { number?: string; filler?: string; code?: string; status: string; values?: string[]; more?: string[] };

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let walkIn: string;
let order: { id: string; number: string };
let messages = 0;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_HL7_PORT: '0' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) }, {}, [thyroid]);
  await sql`
    update teams set settings = settings || '{"partial_webhooks_enabled": true}' where id = ${app.team.id}`.execute(
    app.db,
  );
  walkIn = await addLabTest(app, app.team, 'walk_in_test', ['MET', 'THY']);
  hl7 = await startHl7(app.ctx);
});
beforeEach(async () => {
  const { user_id } = await makeUser(app.team);
  const { body } = await app.team.api<{ order: { id: string } }>('POST', '/v3/order', {
    user_id,
    order_set: { lab_test_ids: [walkIn] },
    patient_details: patientDetails,
    patient_address: patientAddress,
    physician,
  });
  await app.runJobs();
  order = { id: body.order.id, number: numberOfLast() };
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

/** Returns the number of the newest order. Our message has it in ORC-4, as the number of the group of tests. */
const numberOfLast = (): string => text_(laboratory.orders.at(-1) as never, 'ORC.4');

/**
 * Sends one message. Each call gives its results a time that is one minute later than before. `number` is the suffix
 * after the number of the order. A value has the form `GLU 88 F`.
 */
async function send(...groups: Group[]): Promise<void> {
  expect(await responseTo(...groups)).toBe('AA');
}
async function responseTo(...groups: Group[]): Promise<string> {
  messages += 1;
  const minute = String(messages % 60).padStart(2, '0');
  const at = `202601221${Math.floor(messages / 60)}${minute}00`;
  const text = [
    `MSH|^~\\&|LAB|LABFAC|PHIAL|ACC-1|${at}||ORU^R01^ORU_R01|S${messages}|P|2.5.1`,
    'PID|1||X7||Palmer^Grace||19880412|F',
    ...groups.flatMap(({ number, filler, code, status, values = [], more = [] }, n) => [
      `OBR|${n + 1}|${number === undefined ? '' : order.number + number}|${filler ?? `F-${order.number}`}` +
        `|${code ?? ''}|||20260120081500|||||||20260121090000||||||||${at}|||${status}`,
      ...values.map((value, index) => {
        const [name, result, flag] = value.split(' ');
        return `OBX|${index + 1}|NM|${name}^${name}^L||${result}|mg/dL|||||${flag ?? 'F'}`;
      }),
      ...more,
    ]),
  ].join('\r');
  const answer = await sendFrame(hl7.port as number, `${text}\r`);
  return `${answer?.code} ${answer?.error}`.trim();
}
const metabolic = (status: string, values = ['GLU 88', 'A1C 5.4']): Group => ({
  number: '-1',
  code: 'MET',
  status,
  values,
});
const thyroidal = (status: string, values = ['TSH 1.2', 'FT4 1.1']): Group => ({
  number: '-2',
  code: 'THY',
  status,
  values,
});
const results = async (id = order.id): Promise<Results> =>
  (await app.team.api<Results>('GET', `/v3/order/${id}/result`)).body;
const last = async (id = order.id): Promise<string | undefined> => lowStatuses(await readOrder(app.team, id)).at(-1);
const events = async (): Promise<string[]> =>
  (await publishedTo(app, app.team))
    .map(({ body }) => (JSON.parse(body) as { data: { id?: string; last_event?: { status: string } } }).data)
    .flatMap(({ id, last_event }) =>
      id === order.id && last_event ? [last_event.status.split('.')[2] as string] : [],
    );

describe('an order of two tests', () => {
  test('is partial with the first final test, and completed, not corrected, by the second', async () => {
    await send(metabolic('F'));
    expect(await last()).toBe('partial_results');
    expect(await results()).toMatchObject({ metadata: { status: 'partial' }, missing_results: [] });
    expect((await readOrder(app.team, order.id))['has_missing_results']).toBe(false);
    await send(thyroidal('F'));
    expect(await results()).toMatchObject({ metadata: { status: 'final' }, missing_results: [] });
    expect((await results()).results.map(({ slug }) => slug)).toEqual([
      'saguaro-glucose',
      'saguaro-hba1c',
      'saguaro-tsh',
      'saguaro-ft4',
    ]);
    expect((await events()).slice(-2)).toEqual(['partial_results', 'completed']);
  });

  test('is partial while one test is corrected and the other is pending', async () => {
    await send(metabolic('C'), thyroidal('I', []));
    expect(await last()).toBe('partial_results');
    expect((await results()).missing_results).toEqual([]);
    await send(metabolic('C'), thyroidal('F'));
    expect(await last()).toBe('completed');
  });

  test('is corrected by a correction of one test after it was completed', async () => {
    await send(thyroidal('F'));
    await send(metabolic('F'));
    await send(thyroidal('C', ['TSH 7.5 C']));
    expect(await last()).toBe('corrected');
    expect((await results()).results.find(({ slug }) => slug === 'saguaro-tsh')).toMatchObject({
      result: '7.5',
      status: 'corrected',
    });
  });

  test('is completed by a cancelled test, whose values are missing as cancelled', async () => {
    await send(metabolic('F'));
    await send(thyroidal('X', []));
    expect(await last()).toBe('completed');
    const missing = (await results()).missing_results.map(({ slug, note }) => [slug, note]);
    expect(missing).toEqual([
      ['saguaro-tsh', 'The laboratory cancelled this test.'],
      ['saguaro-ft4', 'The laboratory cancelled this test.'],
    ]);
  });

  test('lists the missing values of a final test while the other test is open', async () => {
    await send(metabolic('F', ['GLU 88']));
    expect((await results()).missing_results.map(({ slug }) => slug)).toEqual(['saguaro-hba1c']);
    await send(thyroidal('F'));
    expect((await results()).missing_results.map(({ slug }) => slug)).toEqual(['saguaro-hba1c']);
    expect(await last()).toBe('completed');
  });

  test.each([
    ['appointment_pending', ['appointment_pending']],
    ['appointment_scheduled', ['appointment_pending', 'appointment_scheduled']],
    ['appointment_cancelled', ['appointment_pending', 'appointment_cancelled']],
  ])('gets its results also in the status %s, without invented appointment events', async (status, way) => {
    await simulate(app.team, order.id, `?final_status=collecting_sample.walk_in_test.${status}`);
    await send(metabolic('F'));
    const before = ['ordered', 'requisition_bypassed', ...way];
    expect(lowStatuses(await readOrder(app.team, order.id))).toEqual([...before, 'partial_results']);
    await send(thyroidal('F'));
    expect(lowStatuses(await readOrder(app.team, order.id))).toEqual([...before, 'partial_results', 'completed']);
  });

  test('publishes no event when a test becomes final with unchanged values', async () => {
    await send(metabolic('P'));
    const before = await events();
    await send(metabolic('F'));
    expect(await events()).toEqual(before);
    await send(thyroidal('F'));
    expect(await last()).toBe('completed');
  });

  test('stays partial while a test with final values is preliminary', async () => {
    await send(metabolic('P'), thyroidal('F'));
    expect(await last()).toBe('partial_results');
    await send(metabolic('F'));
    expect(await last()).toBe('completed');
  });

  test('stays completed when an older report of one test comes late', async () => {
    await send(metabolic('F'), thyroidal('F'));
    const before = await events();
    await send(metabolic('P', ['GLU 70 P']));
    expect(await events()).toEqual(before);
    expect((await results()).metadata.status).toBe('final');
  });

  test('identifies its tests by their codes if the laboratory uses one number for all', async () => {
    await send({ ...metabolic('F'), number: '' });
    expect(await last()).toBe('partial_results');
    await send({ ...thyroidal('F'), number: '-1' });
    expect(await last()).toBe('completed');
  });

  test.each([
    ['the order’s number', ''],
    ['the number of its first test', '-1'],
  ])('is completed by one report of all tests with %s and an unknown code', async (_, number) => {
    await send({ number, code: 'WELLNESS', status: 'F', values: ['GLU 88', 'A1C 5.4', 'TSH 1.2'] });
    expect(await last()).toBe('completed');
    expect((await results()).missing_results.map(({ slug }) => slug)).toEqual(['saguaro-ft4']);
  });

  test('fails if the laboratory cancels all of it', async () => {
    await send({ number: '', status: 'X' });
    expect(await last()).toBe('sample_error');
    expect((await results()).missing_results).toHaveLength(4);
  });

  test('ignores a test that nobody ordered, unless the laboratory reports it as pending', async () => {
    const reflex = (status: string, values: string[] = []): Group => ({ code: 'RFX', status, values });
    await send(metabolic('F'));
    await send(reflex('F'));
    expect(await last()).toBe('partial_results');
    await send(thyroidal('F'), reflex('I'));
    expect(await last()).toBe('partial_results');
    await send(reflex('F'));
    expect(await last()).toBe('completed');
  });
});

describe('a note on a test without values', () => {
  const noted = (status: string, ...notes: string[]): Group => ({
    ...thyroidal(status, []),
    more: notes.map((note, n) => `NTE|${n + 1}|L|${note}`),
  });
  const seen = async (): Promise<string> => {
    const printed = await textOf(await fetchPdf(app, `/v3/order/${order.id}/result/pdf`));
    const fhir = await app.team.api('GET', `/v3/order/${order.id}/result/fhir`);
    return `${printed.join(' ').replaceAll(/\s+/g, ' ')} ${JSON.stringify(fhir.body)}`;
  };

  test('that was cancelled is the reason of each missing value, once', async () => {
    await send(metabolic('F'));
    await send(noted('X', 'QNS', 'Please collect again.'));
    expect(await last()).toBe('completed');
    const missing = (note: string) => ['saguaro-tsh', 'saguaro-ft4'].map((slug) => ({ slug, note }));
    const missingResults = (await results()).missing_results;
    expect(missingResults).toMatchObject(missing('The laboratory cancelled this test.\nQNS\nPlease collect again.'));
    expect(missingResults).toMatchObject([{ inferred_failure_type: 'quantity_not_sufficient_failure' }, {}]);
    expect((await seen()).split('Please collect again.').length).toBeGreaterThanOrEqual(5);
    await send(noted('X', 'QNS', 'Please collect again.'));
    expect((await results()).missing_results).toEqual(missingResults);
    expect((await results()).results).toHaveLength(2);
    expect(await last()).toBe('completed');
  });

  test('that was cancelled after its values were reported removes none of them', async () => {
    await send(thyroidal('F'), metabolic('F'));
    await send(noted('X', 'Billed to nobody.'));
    const { results: values, missing_results } = await results();
    expect(missing_results).toEqual([]);
    expect(values.map(({ result }) => result)).toEqual(['88', '5.4', '1.2', '1.1', 'Billed to nobody.']);
  });

  test.each([
    ['is preliminary', 'P'],
    ['is in process', 'I'],
  ])('that %s is a result of its own, and is not one of the values that come later', async (_, status) => {
    await send(noted(status, 'SPECIMEN GROSSLY HEMOLYZED'));
    expect((await results()).results).toMatchObject([
      { slug: 'note-on-thy', result: 'SPECIMEN GROSSLY HEMOLYZED', type: 'comment' },
    ]);
    expect(await seen()).toContain('SPECIMEN GROSSLY HEMOLYZED');
    await send(thyroidal('F'), metabolic('F'));
    expect(await last()).toBe('completed');
    expect((await results()).results).toHaveLength(5);
    expect((await results()).missing_results).toEqual([]);
  });

  test('that nobody ordered is listed after the values', async () => {
    const remark = { code: 'RMK^Remarks', status: 'F', more: ['NTE|1|L|Fasting not stated.'] };
    await send(metabolic('F'), thyroidal('F'), remark);
    expect((await results()).results.at(-1)).toMatchObject({ slug: 'note-on-remarks', result: 'Fasting not stated.' });
    expect(await last()).toBe('completed');
  });
});

describe('a document without values', () => {
  const pdf = Buffer.from('%PDF-1.7\n%report\n%%EOF\n').toString('base64');
  const documented = (group: Group): Group => ({
    ...group,
    values: [],
    more: [`OBX|1|ED|PDF^Report^L||^application^pdf^Base64^${pdf}||||||F`],
  });

  test('of a test without any values waits for the operator, even if another test has values', async () => {
    await send(metabolic('F'));
    expect(await responseTo(documented(thyroidal('F')))).toBe('AE document_without_values');
    expect(await last()).toBe('partial_results');
    expect((await results()).missing_results).toEqual([]);
  });

  test('of a test with preliminary values waits, because only the document has the final ones', async () => {
    await send(metabolic('P', ['GLU 88 P', 'A1C 5.4 P']));
    expect(await responseTo(documented(metabolic('F')))).toBe('AE document_without_values');
  });

  test('of a test with final values is the report, and a cancelled test in the message counts', async () => {
    await send(metabolic('F'));
    await send(documented(metabolic('F')), thyroidal('X', []));
    expect(await last()).toBe('completed');
    expect((await fetchPdf(app, `/v3/order/${order.id}/result/pdf`)).headers.get('content-disposition')).toContain(
      'laboratory-report.pdf',
    );
  });
});

describe('a number of the laboratory’s own', () => {
  const alone = (group: Group, filler: string): Group => {
    const { number: _, ...rest } = group;
    return { ...rest, filler };
  };

  test('that was reported for a test finds the order when it comes alone', async () => {
    const [one, two] = [`M-${order.number}`, `T-${order.number}`];
    await send({ ...metabolic('P'), filler: one });
    await send({ ...thyroidal('P'), filler: two });
    await send(alone(thyroidal('F'), two));
    await send(alone(metabolic('F'), one));
    expect(await last()).toBe('completed');
  });

  test('is stored up to 100 of a kind, and our number finds the order beyond that', async () => {
    const requests = Array.from({ length: 101 }, (_, n) => ({
      ...metabolic('P', []),
      filler: `B${n}-${order.number}`,
    }));
    await send(...requests);
    await send(...requests.slice(0, 2));
    await send(alone(metabolic('F'), `B99-${order.number}`));
    const { rows } = await sql`select from laboratory_numbers where order_id = ${order.id}`.execute(app.db);
    expect(rows).toHaveLength(100);
    expect((await results()).results).toHaveLength(2);
  });
});

test('a kit of two tests keeps its status until both tests are final', async () => {
  const kit = await kitAtLaboratory(app, app.team, await addLabTest(app, app.team, 'testkit', ['MET', 'THY']));
  await app.runJobs();
  order = { id: kit.id, number: numberOfLast() };
  await send(metabolic('F'));
  expect(await last()).toBe('delivered_to_lab');
  await send(thyroidal('F'));
  expect(await last()).toBe('completed');
});
