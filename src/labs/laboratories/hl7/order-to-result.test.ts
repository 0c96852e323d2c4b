import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { lowStatuses, readOrder } from '../../../../test/factories.ts';
import { addLabAccount } from '../../catalogue/lab-accounts/add.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import {
  resultMessage,
  sendFrame,
  startHl7Laboratory,
  text_,
  type Hl7Laboratory,
  type ResultToSend,
} from '../../../../test/hl7-laboratory.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

type Results = {
  metadata: { status: string };
  results: { slug: string; result: string; status: string; previous_result: string | null }[];
};

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let labTestId: string;
const logged: string[] = [];
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp(
    {
      PHIAL_ENVIRONMENT: 'production',
      PHIAL_BASE_URL: 'https://phial.example.com',
      PHIAL_HL7_PORT: '0',
      PHIAL_LOG_LEVEL: 'info',
    },
    { logTo: (line) => logged.push(line) },
  );
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  labTestId = await addLabTest(app, app.team);
  hl7 = await startHl7(app.ctx);
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});
beforeEach(() => {
  laboratory.behave(null);
  laboratory.orders.length = 0;
});

const send = (result: ResultToSend | string): ReturnType<typeof sendFrame> =>
  sendFrame(hl7.port as number, typeof result === 'string' ? result : resultMessage(result));
const results = async (orderId: string): Promise<Results> =>
  (await app.team.api<Results>('GET', `/v3/order/${orderId}/result`)).body;
const outbox = (orderId: string) =>
  app.db.selectFrom('laboratory_outbox').selectAll().where('order_id', '=', orderId).orderBy('id').execute();
const messages = (controlId: string) =>
  app.db.selectFrom('hl7_messages').selectAll().where('control_id', '=', controlId).execute();
const glucose = (value: string, more: object = {}) => ({ code: 'GLU', value, ...more });
const a1c = (value: string, more: object = {}) => ({ code: 'A1C', value, unit: '%', range: '<5.7', ...more });

/** Makes an order that the laboratory accepts, and returns its number. */
async function taken(): Promise<{ id: string; placer: string }> {
  const { id } = await kitAtLaboratory(app, app.team, labTestId);
  await app.runJobs();
  return { id, placer: text_(laboratory.orders.at(-1) as never, 'ORC.2') };
}

test('an order of a production deployment goes to its laboratory and gets partial to corrected results', async () => {
  const order = await kitAtLaboratory(app, app.team, labTestId);
  expect(lowStatuses(order)).toEqual([
    'ordered',
    'awaiting_registration',
    'requisition_bypassed',
    'testkit_registered',
  ]);
  await app.runJobs();
  expect(await outbox(order.id)).toMatchObject([{ action: 'new', state: 'accepted', last_error: null }]);
  const [sent] = laboratory.orders as [never];
  const fields = ['MSH.9.1', 'MSH.9.2', 'MSH.12', 'MSH.4', 'PID.5.1', 'PID.7', 'PID.8', 'ORC.1', 'OBR.4.1', 'OBR.16.1'];
  expect(fields.map((path) => text_(sent, path))).toEqual([
    'OML',
    'O21',
    '2.5.1',
    'ACC-1',
    'Palmer',
    '19880412',
    'F',
    'NW',
    'MET',
    '1234567893',
  ]);
  expect(text_(sent, 'SPM.2')).toContain(order.sample_id);
  const placer = text_(sent, 'OBR.2');
  expect(placer).toMatch(/^P[0-9A-Z]{8}$/);

  const base = { placer, account: 'ACC-1', filler: 'F-77' };
  expect(await send({ ...base, controlId: 'R1', status: 'P', values: [glucose('88', { status: 'P' })] })).toMatchObject(
    {
      code: 'AA',
      controlId: 'R1',
    },
  );
  expect((await results(order.id)).metadata.status).toBe('partial');
  expect(lowStatuses(await readOrder(app.team, order.id)).at(-1)).toBe('delivered_to_lab');
  await send({ ...base, controlId: 'R2', at: '20260122113000', values: [glucose('88'), a1c('5.4')] });
  expect(lowStatuses(await readOrder(app.team, order.id)).at(-1)).toBe('completed');
  await send({
    ...base,
    controlId: 'R3',
    at: '20260123090000',
    status: 'C',
    values: [a1c('6.1', { status: 'C', flags: 'H' })],
  });
  expect(lowStatuses(await readOrder(app.team, order.id)).at(-1)).toBe('corrected');
  const corrected = await results(order.id);
  expect(corrected.results.map(({ slug, result, previous_result }) => [slug, result, previous_result])).toEqual([
    ['saguaro-glucose', '88', null],
    ['saguaro-hba1c', '6.1', '5.4 %'],
  ]);
});

describe('a result', () => {
  test('that arrives again, with the same or a new control id, changes nothing', async () => {
    const { id, placer } = await taken();
    const result = { controlId: 'T1', placer, values: [glucose('90'), a1c('5.2')] };
    expect(await send(result)).toMatchObject({ code: 'AA' });
    const once = await readOrder(app.team, id);
    expect(await send(result)).toMatchObject({ code: 'AA' });
    expect(await send({ ...result, controlId: 'T2' })).toMatchObject({ code: 'AA' });
    expect(await readOrder(app.team, id)).toEqual(once);
    expect((await messages('T1')).length).toBe(1);
  });

  test('without our number finds its order by an earlier number of the laboratory', async () => {
    const { id, placer } = await taken();
    await send({ controlId: 'N1', placer, filler: 'F-900', status: 'P', values: [glucose('90', { status: 'P' })] });
    expect(
      await send({ controlId: 'N2', placer: '', filler: 'F-900', at: '20260124', values: [glucose('91'), a1c('5.1')] }),
    ).toMatchObject({ code: 'AA' });
    expect((await results(id)).results[0]?.result).toBe('91');
  });

  test('for an order of a team is refused under the account of another', async () => {
    const { id, placer } = await taken();
    expect(await send({ controlId: 'A1', placer, account: 'ACC-2', values: [glucose('90')] })).toMatchObject({
      code: 'AE',
      error: 'other_account',
    });
    expect((await app.team.api('GET', `/v3/order/${id}/result`)).status).toBe(404);
  });

  test.each([
    ['an unmapped code', { values: [{ code: 'NEW', value: '1' }] }, 'unmapped_code'],
    ['an empty OBX-11', { values: [{ code: 'GLU', value: '1', status: '""' }] }, 'missing_obx_11'],
    ['a wrong OBX-11', { values: [{ code: 'GLU', value: '1', status: 'Q' }] }, 'wrong_obx_11'],
    ['a wrong OBR-25', { status: 'D', values: [{ code: 'GLU', value: '1' }] }, 'wrong_obr_25'],
    ['an invalid number', { values: [{ code: 'GLU', value: 'high' }] }, 'value_not_of_type'],
    ['another patient', { dob: '19700101', values: [{ code: 'GLU', value: '1' }] }, 'patient_mismatch'],
  ])('with %s waits for the operator and is answered with AE', async (what, changes, reason) => {
    const { id, placer } = await taken();
    const controlId = `Q-${what}`.replaceAll(' ', '-');
    expect(await send({ controlId, placer, ...changes })).toEqual({ code: 'AE', controlId, error: reason });
    expect(await messages(controlId)).toMatchObject([{ state: 'failed', reason }]);
    expect((await app.team.api('GET', `/v3/order/${id}/result`)).status).toBe(404);
  });

  test('with an unknown number waits for the operator', async () => {
    expect(await send({ controlId: 'U1', placer: 'P0000000Z', values: [glucose('90')] })).toMatchObject({
      error: 'unknown_number',
    });
    expect(await messages('U1')).toMatchObject([{ state: 'failed', team_id: null, user_id: null }]);
  });

  test('whose numbers match no order goes to the only team of its account', async () => {
    await addLabAccount(app.ctx, {
      org_id: app.team.org_id,
      lab: 'saguaro-lab',
      status: 'active',
      delegated_flow: 'not_delegated',
      provider_account_id: 'ACC-TEAM',
      account_name: null,
      default_clinical_notes: null,
      business_units: null,
      allowed_billing: { client_bill: ['AZ'] },
      team_id_allowlist: [app.team.id],
    });
    const result = { controlId: 'H1', placer: '', filler: 'F-NEW', account: 'ACC-TEAM', values: [glucose('90')] };
    expect(await send(result)).toMatchObject({ code: 'AA' });
    expect(await messages('H1')).toMatchObject([{ state: 'applied', reason: 'unmatched', team_id: app.team.id }]);
    const rows = await app.db.selectFrom('unmatched_results').select(['team_id', 'status']).execute();
    expect(rows).toMatchObject([{ team_id: app.team.id }]);
    // Phial deletes the content of the message. Otherwise it would stay when the user of the result is erased.
    expect(await messages('H1')).toMatchObject([{ raw: null }]);
    expect(await send(result)).toMatchObject({ code: 'AA' });
    expect((await app.db.selectFrom('unmatched_results').select('id').execute()).length).toBe(1);
  });

  test('in the wrong encoding waits for the operator', async () => {
    const { placer } = await taken();
    const text = resultMessage({ controlId: 'E1', placer, charset: 'UNICODE UTF-8', values: [glucose('90')] });
    const bytes = Buffer.from(text.replace('Palmer', 'Müller'), 'latin1');
    expect(await sendFrame(hl7.port as number, bytes)).toEqual({
      code: 'AE',
      controlId: 'E1',
      error: 'wrong_encoding',
    });
  });

  test.each([
    ['an admission', 'MSH|^~\\&|LAB|LABFAC|||2026||ADT^A01|Z1|P|2.5.1\rPID|1\r', 'AR', 'wrong_type'],
    ['a test message', 'MSH|^~\\&|LAB|LABFAC|||2026||ORU^R01|Z2|T|2.5.1\rPID|1\r', 'AR', 'wrong_processing'],
    ['of an unknown sender', 'MSH|^~\\&|WHO|WHOFAC|||2026||ORU^R01|Z3|P|2.5.1\rPID|1\r', 'AR', 'unknown_sender'],
    ['not a message', 'hello', 'AR', 'no_header'],
    ['a broken segment', 'MSH|^~\\&|LAB|LABFAC|||2026||ORU^R01|Z4|P|2.5.1\rhello\r', 'AE', 'bad_segment'],
  ])('that is %s is stored and refused', async (_, text, code, error) => {
    expect(await send(text)).toMatchObject({ code, error });
  });

  test('that is not MLLP closes the connection, and only a code is logged', async () => {
    logged.length = 0;
    expect(await sendFrame(hl7.port as number, 'GET /?name=Palmer HTTP/1.1\r\n\r\n', { raw: true })).toBeNull();
    expect(logged.join('')).toContain('not_mllp');
    expect(logged.join('')).not.toContain('Palmer');
  });
});

describe('an order', () => {
  test('waits while its laboratory is down, and the orders go out in sequence afterwards', async () => {
    await laboratory.down(true);
    const first = await kitAtLaboratory(app, app.team, labTestId);
    const second = await kitAtLaboratory(app, app.team, labTestId);
    await app.runJobs();
    expect(await outbox(first.id)).toMatchObject([{ state: 'waiting', attempts: 1, last_error: 'econnrefused' }]);
    expect(await outbox(second.id)).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    await laboratory.down(false);
    await backOnTime();
    expect(laboratory.orders.map((order) => text_(order, 'SPM.2'))).toEqual([
      expect.stringContaining(first.sample_id as string),
      expect.stringContaining(second.sample_id as string),
    ]);
  });

  test.each([
    ['never_answers', 'no_answer'],
    ['closes_before_answer', 'closed'],
    ['resets', 'closed'],
    ['answers_another', 'no_answer'],
  ] as const)('is sent again unchanged, with the same control id, after the fault %s', async (fault, reason) => {
    laboratory.behave(fault);
    const { id } = await kitAtLaboratory(app, app.team, labTestId);
    await app.runJobs();
    expect(await outbox(id)).toMatchObject([{ state: 'waiting', last_error: reason }]);
    laboratory.behave(null);
    await backOnTime();
    const [once, again, ...more] = laboratory.orders;
    expect(more).toEqual([]);
    expect(again?.toString()).toBe(once?.toString());
    expect(await outbox(id)).toMatchObject([{ state: 'accepted' }]);
  });

  test('that the laboratory refuses has a reason code, and does not delay those behind it', async () => {
    laboratory.behave('refuses');
    const refused = await kitAtLaboratory(app, app.team, labTestId);
    await app.runJobs();
    laboratory.behave(null);
    const next = await kitAtLaboratory(app, app.team, labTestId);
    await app.runJobs();
    expect(await outbox(refused.id)).toMatchObject([{ state: 'refused', last_error: 'ae_101' }]);
    expect(await outbox(next.id)).toMatchObject([{ state: 'accepted' }]);
  });

  test('that is cancelled is cancelled at the laboratory with its number', async () => {
    const { id, placer } = await taken();
    await app.team.api('POST', `/v3/order/${id}/cancel`);
    await app.runJobs();
    const cancel = laboratory.orders.at(-1) as never;
    expect([text_(cancel, 'ORC.1'), text_(cancel, 'ORC.2')]).toEqual(['CA', placer]);
  });
});

/** Makes the next tries due now, and runs them. */
async function backOnTime(): Promise<void> {
  const { sql } = await import('kysely');
  await sql`update laboratory_outbox set due_at = now() where state = 'waiting'`.execute(app.db);
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(app.db);
  await app.runJobs();
}

test('the log has no personal data of the patient', () => {
  expect(logged.join('')).not.toMatch(/Palmer|Grace|19880412|1988-04-12/);
});
