// What of an order its laboratory reads in which field.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { createOrder, healthInsurance, patientAddress } from '../../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory } from '../../../../test/hl7-deployment.ts';
import { startHl7Laboratory, type Hl7Laboratory } from '../../../../test/hl7-laboratory.ts';
import { fetchPdf, placesOf } from '../../../../test/pdf.ts';

let laboratory: Hl7Laboratory;
let app: TestApp;
let labTestId: string;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp();
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

test('notes keep their lines: in the message as escapes, on paper as lines, and begin no segment', async () => {
  const { status, body } = await createOrder(app.team, {
    lab_test_id: labTestId,
    clinical_notes: 'Takes metformin.\r\nOBR|9|forged\rFasted since nine.',
  });
  expect([status, body.order['clinical_notes']]).toEqual([200, 'Takes metformin.\nOBR|9|forged\nFasted since nine.']);
  await app.runJobs();
  expect(lines('NTE')).toEqual(['NTE|1|P|Takes metformin.\\.br\\OBR\\F\\9\\F\\forged\\.br\\Fasted since nine.']);
  expect(lines('OBR').length).toBe(1);
  const places = await placesOf(await fetchPdf(app, `/v3/order/${body.order.id}/requisition/pdf`));
  const at = (text: string) => places.find((place) => place.text.startsWith(text));
  expect(at('Fasted since')?.x).toBe(at('Takes metformin.')?.x);
  expect(at('Fasted since')?.y).not.toBe(at('Takes metformin.')?.y);
  const refused = await createOrder(app.team, { lab_test_id: labTestId, clinical_notes: 'Takes\tmetformin.' });
  expect(refused.status).toBe(422);
});

test('a diagnosis is of one code system in every segment, and a guarantor can be called', async () => {
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
