// Which fields of a message contain which data of an order.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { createOrder, healthInsurance, patientAddress, patientDetails } from '../../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory, thyroid } from '../../../../test/hl7-deployment.ts';
import {
  resultMessage,
  sendFrame,
  startHl7Laboratory,
  text_,
  type Hl7Laboratory,
} from '../../../../test/hl7-laboratory.ts';
import { startHl7 } from './start-hl7.ts';
import { fetchPdf, textBoxesOf } from '../../../../test/pdf.ts';

let laboratory: Hl7Laboratory;
let app: TestApp;
let labTestId: string;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_HL7_PORT: '0' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  labTestId = await addLabTest(app, app.team, 'walk_in_test');
});
afterAll(async () => {
  await app.close();
  await laboratory.close();
});

const lines = (name: string): string[] =>
  String(laboratory.orders.at(-1))
    .split('\r')
    .filter((line) => line.startsWith(name));

test('notes keep their lines in the message and on the requisition, and begin no segment', async () => {
  const { status, body } = await createOrder(app.team, {
    lab_test_id: labTestId,
    clinical_notes: 'Takes metformin.\r\nOBR|9|forged\rFasted since nine.',
  });
  expect([status, body.order['clinical_notes']]).toEqual([200, 'Takes metformin.\nOBR|9|forged\nFasted since nine.']);
  await app.runJobs();
  expect(lines('NTE')).toEqual(['NTE|1|P|Takes metformin.\\.br\\OBR\\F\\9\\F\\forged\\.br\\Fasted since nine.']);
  expect(lines('OBR').length).toBe(1);
  const positions = await textBoxesOf(await fetchPdf(app, `/v3/order/${body.order.id}/requisition/pdf`));
  const at = (text: string) => positions.find((position) => position.text.startsWith(text));
  expect(at('Fasted since')?.x).toBe(at('Takes metformin.')?.x);
  expect(at('Fasted since')?.y).not.toBe(at('Takes metformin.')?.y);
  const refused = await createOrder(app.team, { lab_test_id: labTestId, clinical_notes: 'Takes\tmetformin.' });
  expect(refused.status).toBe(422);
});

test('a diagnosis has one code system in all segments, and a guarantor has a phone number', async () => {
  const { status } = await createOrder(app.team, {
    lab_test_id: labTestId,
    icd_codes: ['E11.9'],
    billing_type: 'commercial_insurance',
    health_insurance: {
      ...healthInsurance,
      responsible_relationship: 'Spouse',
      responsible_details: {
        first_name: 'Robin',
        last_name: 'Palmer',
        gender: 'male',
        dob: '1986-02-03',
        address: patientAddress,
        phone_number: '+16025550143',
        email: 'robin@example.com',
      },
    },
  });
  expect(status).toBe(200);
  await app.runJobs();
  const field = (name: string, at: number): string | undefined => lines(name)[0]?.split('|')[at];
  expect([field('OBR', 31), field('DG1', 3)]).toEqual(['E11.9^^I10C', 'E11.9^^I10C']);
  expect(field('GT1', 6)).toBe('^PRN^PH^^^602^5550143');
});

describe('an order is sent', () => {
  const [account, facility] = ['ACC-1', 'Desert Health'];
  const sent = async (orders: object, changes: object = {}): Promise<void> => {
    await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port, { ...orders }) });
    const { status } = await createOrder(app.team, { lab_test_id: labTestId, ...changes });
    expect(status).toBe(200);
    await app.runJobs();
  };
  const field = (name: string, at: number): string | undefined => lines(name)[0]?.split('|')[at];

  test('with our patient id and a short patient number that never changes', async () => {
    await sent({});
    const [ours = '', short = ''] = (field('PID', 3) ?? '').split('~');
    expect(ours).toMatch(/^[0-9a-f-]{36}\^\^\^PHIAL\^PI$/);
    expect(short).toMatch(/^U[0-9A-Z]{8}\^\^\^PHIAL\^PI$/);
    const user_id = ours.slice(0, 36);
    await sent({ identifiers: { authority: 'DESERT', patient: 'MR', physician: 'UPIN' } }, { user_id });
    expect(field('PID', 3)).toBe(`${user_id}^^^DESERT^MR~${short.split('^')[0]}^^^DESERT^MR`);
    expect(field('ORC', 12)).toMatch(/\^UPIN$/);
  });

  test('with race and ethnicity, as codes if HL7 has one', async () => {
    const with_ = (race: string, ethnicity: string) => ({ patient_details: { ...patientDetails, race, ethnicity } });
    await sent({}, with_('white_caucasian', 'hispanic'));
    expect([field('PID', 10), field('PID', 22)]).toEqual(['2106-3^White^HL70005', 'H^Hispanic or Latino^HL70189']);
    await sent({}, with_('other', 'ashkenazi_jewish'));
    expect([field('PID', 10), field('PID', 22)]).toEqual(['2131-1^Other Race^HL70005', '^Ashkenazi Jewish']);
  });

  test('with the guardian of a minor in NK1 and GT1, and in ORM^O01 only in GT1', async () => {
    await app.db
      .updateTable('teams')
      .set({ settings: sql`settings || '{"minor_ordering_enabled": true}'` })
      .where('id', '=', app.team.id)
      .execute();
    const { receiver_name: _, ...address } = patientAddress;
    const medical_proxy = {
      first_name: 'Robin',
      last_name: 'Palmer',
      phone_number: '+16025550143',
      address: { ...address, country: 'MX' },
    };
    const minor = { patient_details: { ...patientDetails, dob: '2020-01-31', medical_proxy } };
    await sent({}, minor);
    expect(lines('NK1')[0]).toMatch(
      /^NK1\|1\|Palmer\^Robin\|GRD\^Guardian\^HL70063\|100 West Test Street\^.*\^MEX\^H\|/,
    );
    expect([field('GT1', 3), field('GT1', 11)]).toEqual(['Palmer^Robin', 'GRD']);
    await sent({ message: 'ORM^O01' }, minor);
    expect([lines('NK1'), field('GT1', 3)]).toEqual([[], 'Palmer^Robin']);
    await sent({}, { patient_details: { ...patientDetails, medical_proxy } });
    expect([lines('NK1'), lines('GT1')]).toEqual([[], []]);
  });

  test('with the action code of a draw at the laboratory for a walk-in order', async () => {
    await sent({});
    expect(field('OBR', 11)).toBe('L');
  });

  test('with the version and account field of the settings, and results use the same account field', async () => {
    await sent({ version: '2.3', account_field: 'PID-18', our_facility: facility });
    expect([field('MSH', 3), field('MSH', 11), field('PID', 18)]).toEqual([facility, '2.3', `${account}^^^^AN`]);
    const placer = field('ORC', 2) ?? '';
    const hl7 = await startHl7(app.ctx);
    const result = (controlId: string, of: string): string =>
      resultMessage({ controlId, placer, account: facility, values: [{ code: 'GLU', value: '90' }] }).replace(
        /\r(PID[^\r]*)/,
        (_, pid: string) => `\r${[...pid.split('|').concat(Array(18).fill('')).slice(0, 18), of].join('|')}`,
      );
    expect(await sendFrame(hl7.port as number, result('B1', 'ACC-2'))).toMatchObject({ error: 'other_account' });
    expect(await sendFrame(hl7.port as number, result('B2', account))).toMatchObject({ code: 'AA' });
    await hl7.stop();
    await sent({ account_field: 'ORC-21', our_facility: facility });
    expect(field('ORC', 21)).toBe(`${facility}^^^^^^AN^^^${account}`);
  });

  test('with the time of the event, which is the cancellation for a cancelled order', async () => {
    await sent({});
    const number = field('ORC', 2) ?? '';
    const { order_id } = await app.db
      .selectFrom('order_numbers')
      .select('order_id')
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    const ordered = field('ORC', 9);
    await sql`update orders set created_at = created_at - interval '2 days' where id = ${order_id}`.execute(app.db);
    await app.team.api('POST', `/v3/order/${order_id}/cancel`);
    const { rows } = await sql<{ at: string }>`
      update laboratory_outbox set created_at = '2026-03-04T17:00:00Z'
       where order_id = ${order_id} and action = 'cancel' returning id`.execute(app.db);
    expect(rows.length).toBe(1);
    await app.runJobs();
    expect([field('ORC', 1), field('ORC', 9)]).toEqual(['CA', '20260304100000-0700']);
    expect(ordered).not.toBe('20260304100000-0700');
  });

  test('with one test per message if the laboratory accepts no more', async () => {
    await connectTestLaboratory(
      app.databaseUrl,
      { orders: byMllp(laboratory.port, { one_message_per_test: true }) },
      {},
      [thyroid],
    );
    const two = await addLabTest(app, app.team, 'walk_in_test', ['MET', 'THY']);
    laboratory.orders.length = 0;
    const { body } = await createOrder(app.team, { lab_test_id: two });
    await app.runJobs();
    const tests = laboratory.orders.map((sent_) => [text_(sent_, 'OBR.2').slice(-2), text_(sent_, 'OBR.4.1')]);
    expect(tests).toEqual([
      ['-1', 'MET'],
      ['-2', 'THY'],
    ]);
    expect(new Set(laboratory.controlIds()).size).toBe(2);
    await app.team.api('POST', `/v3/order/${body.order.id}/cancel`);
    await app.runJobs();
    expect(laboratory.orders.map((sent_) => text_(sent_, 'ORC.1'))).toEqual(['NW', 'NW', 'CA', 'CA']);
  });
});

test('the address of an insured person abroad has the country', async () => {
  const { status } = await createOrder(app.team, {
    lab_test_id: labTestId,
    icd_codes: ['E11.9'],
    billing_type: 'commercial_insurance',
    health_insurance: {
      ...healthInsurance,
      responsible_relationship: 'Spouse',
      responsible_details: {
        first_name: 'Robin',
        last_name: 'Palmer',
        gender: 'male',
        dob: '1986-02-03',
        address: { ...patientAddress, country: 'CA' },
        phone_number: '+16025550143',
        email: 'robin@example.com',
      },
    },
  });
  expect(status).toBe(200);
  await app.runJobs();
  expect(lines('IN1')[0]?.split('|')[19]).toMatch(/\^CAN\^H$/);
});
