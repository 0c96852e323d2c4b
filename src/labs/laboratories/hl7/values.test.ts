// How we read the segments of a result: we lose nothing that a laboratory reports, and add nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { lowStatuses, readOrder } from '../../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import { sendFrame, startHl7Laboratory, text_, type Hl7Laboratory } from '../../../../test/hl7-laboratory.ts';
import { fetchPdf, textOf } from '../../../../test/pdf.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

type Result = {
  slug: string;
  result: string;
  status: string;
  notes: string | null;
  loinc: string | null;
  previous_result: string | null;
  performing_laboratory: string | null;
};
type Results = {
  metadata: Record<string, string | null>;
  results: Result[];
  missing_results: { slug: string }[];
  sample_information: Record<string, { performing_laboratories: Record<string, Record<string, unknown>> }>;
};

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let labTestId: string;
let order: { id: string; number: string };
let sent = 0;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_HL7_PORT: '0' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  labTestId = await addLabTest(app, app.team);
  hl7 = await startHl7(app.ctx);
});
beforeEach(async () => {
  const { id } = await kitAtLaboratory(app, app.team, labTestId);
  await app.runJobs();
  order = { id, number: text_(laboratory.orders.at(-1) as never, 'ORC.2') };
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

/** Sends one message with these segments after the OBR. Returns the code of the answer and the reason of a refusal. */
const send = (...segments: string[]): Promise<string> => sendAs('F', ...segments);
async function sendAs(status: string, ...segments: string[]): Promise<string> {
  sent += 1;
  const at = `2026012210${String(sent).padStart(2, '0')}00`;
  const numbers = `${order.number}|F-${order.number}`;
  const obr = `OBR|1|${numbers}|MET|||20260120081500|||||||20260121090000||||||||${at}|||${status}`;
  const text = [
    `MSH|^~\\&|LAB|LABFAC|PHIAL|ACC-1|${at}||ORU^R01^ORU_R01|V${sent}|P|2.5.1`,
    'PID|1||X7||Palmer^Grace||19880412|F',
    obr,
    ...segments,
  ].join('\r');
  const answer = await sendFrame(hl7.port as number, `${text}\r`);
  return [answer?.code, answer?.error].filter(Boolean).join(' ');
}
const results = async (): Promise<Results> => (await app.team.api<Results>('GET', `/v3/order/${order.id}/result`)).body;
const resultOf = async (slug: string): Promise<Result | undefined> =>
  (await results()).results.find((result) => result.slug === slug);
const expectNothingStored = async (): Promise<void> =>
  expect((await app.team.api('GET', `/v3/order/${order.id}/result`)).status).toBe(404);
const printed = async (): Promise<string> =>
  (await textOf(await fetchPdf(app, `/v3/order/${order.id}/result/pdf`))).join(' ').replaceAll(/\s+/g, ' ');
const GLU = 'OBX|1|NM|GLU^Glucose^L||88|mg/dL|70-99||||F';
const A1C = 'OBX|2|NM|A1C^A1c^L||5.4|%|<5.7||||F';

describe('a sample', () => {
  test('before the values does not hide them', async () => {
    expect(await send('SPM|1|KIT-1', GLU, A1C)).toBe('AA');
    expect((await results()).results.map(({ result }) => result)).toEqual(['88', '5.4']);
    expect((await results()).missing_results).toEqual([]);
  });

  test('before values of an unknown code makes them wait', async () => {
    expect(await send('SPM|1|KIT-1', 'OBX|1|NM|NEW^New^L||1||||||F')).toBe('AE unmapped_code');
    await expectNothingStored();
  });

  test('after the values may have OBX of unmapped codes, and values after it count', async () => {
    expect(await send(GLU, 'SPM|1|KIT-1', 'OBX|2|ST|VOL^Volume^L||5 mL||||||F', A1C)).toBe('AA');
    expect((await results()).results.map(({ result }) => result)).toEqual(['88', '5.4']);
  });
});

describe('a note', () => {
  test('of a test is shown with each of its values in JSON, PDF and FHIR', async () => {
    expect(await send('NTE|1|L|SPECIMEN GROSSLY HEMOLYZED', GLU, 'NTE|1|L|Repeated.', A1C)).toBe('AA');
    expect((await resultOf('saguaro-glucose'))?.notes).toBe('SPECIMEN GROSSLY HEMOLYZED\nRepeated.');
    expect((await resultOf('saguaro-hba1c'))?.notes).toBe('SPECIMEN GROSSLY HEMOLYZED');
    expect(await printed()).toContain('SPECIMEN GROSSLY HEMOLYZED');
    const fhir = await app.team.api('GET', `/v3/order/${order.id}/result/fhir`);
    expect(JSON.stringify(fhir.body)).toContain('SPECIMEN GROSSLY HEMOLYZED');
  });
});

describe('a value', () => {
  test.each([
    ['no text', 'OBX|1|ST|GLU^Glucose^L||||||||F'],
    ['the HL7 null', 'OBX|1|ST|GLU^Glucose^L||""||||||F'],
    ['a code without text', 'OBX|1|CWE|GLU^Glucose^L||^^L||||||F'],
    ['a preliminary HL7 null', 'OBX|1|TX|GLU^Glucose^L||""||||||P'],
  ])('that is %s waits', async (_, value) => {
    expect(await send(value)).toBe('AE value_not_of_type');
    await expectNothingStored();
  });

  test.each([
    ['a number', 'OBX|1|NM|GLU^Glucose^L||101.|mg/dL|70-99||||F', { result: '101', value: 101, type: 'numeric' }],
    ['a bound', 'OBX|1|SN|GLU^Glucose^L||>^500.|mg/dL|70-99||||F', { result: '>500', value: -1, type: 'range' }],
  ])('that ends with a decimal point is %s as without it', async (_, value, read) => {
    expect(await send(value)).toBe('AA');
    expect(await resultOf('saguaro-glucose')).toMatchObject({ ...read, interpretation: 'abnormal' });
  });

  test('that one message has twice with different texts waits', async () => {
    expect(await send(GLU, 'OBX|2|NM|GLU^Glucose^L||300|mg/dL|70-99|HH|||F')).toBe('AE value_told_twice');
    await expectNothingStored();
  });

  test('whose two codes mean different analytes waits', async () => {
    expect(await send('OBX|1|NM|GLU^Glucose^L^4548-4^A1c^LN||88|mg/dL|||||F')).toBe('AE codes_disagree');
    await expectNothingStored();
  });

  test('has no LOINC code of an invalid form', async () => {
    expect(await send('OBX|1|NM|GLU^Glucose^L^NOTLOINC^x^LN||88|mg/dL|||||F')).toBe('AA');
    expect((await resultOf('saguaro-glucose'))?.loinc).toBe('2345-7');
  });
});

describe('the laboratory', () => {
  test('is the connected one if the message names none', async () => {
    await send(GLU, A1C);
    expect((await results()).metadata).toMatchObject({ laboratory: 'Saguaro Laboratory', 'clia_#': '03D0000001' });
    expect((await resultOf('saguaro-glucose'))?.performing_laboratory).toBe('Saguaro Laboratory');
    const { body } = await app.team.api<{ entry: { resource: { resourceType: string } }[] }>(
      'GET',
      `/v3/order/${order.id}/result/fhir`,
    );
    expect(body.entry.filter(({ resource }) => resource.resourceType === 'Organization')).toHaveLength(1);
  });

  const elsewhere = '||||||||||||Perf Lab Inc^^^^^^^^^05D0000002|9 Lab Way^^Reno^NV^89501|7^Ng^Amy';

  test('that performed the tests is shown with its address and director, even without a sample', async () => {
    expect(await send(`${GLU}${elsewhere}`, `${A1C}${elsewhere}`)).toBe('AA');
    const { metadata, sample_information } = await results();
    expect(metadata).toMatchObject({ laboratory: 'Perf Lab Inc', 'clia_#': '05D0000002' });
    expect(Object.values(sample_information)[0]?.performing_laboratories['05D0000002']).toMatchObject({
      medical_director: 'Amy Ng',
      address: { first_line: '9 Lab Way', second_line: '', city: 'Reno', country: 'United States' },
    });
    const text = await printed();
    for (const part of [
      'Perf Lab Inc',
      '9 Lab Way, Reno, NV 89501',
      '05D0000002',
      'Amy Ng',
      'Ordered from and reported by',
    ])
      expect(text).toContain(part);
  });

  test('that performed one test is not shown for the others', async () => {
    await send(`${GLU}${elsewhere}`, A1C);
    expect((await resultOf('saguaro-glucose'))?.performing_laboratory).toBe('Perf Lab Inc');
    expect((await resultOf('saguaro-hba1c'))?.performing_laboratory).toBe('Saguaro Laboratory');
  });

  test('that names no sample still reports the times of collection, receipt and report', async () => {
    await send(GLU, A1C);
    const text = await printed();
    expect(text).not.toContain('Not stated, Received');
    for (const moment of ['Jan 20, 2026, 08:15 MST', 'Jan 21, 2026, 09:00 MST', 'Jan 22, 2026, 10:'])
      expect(text).toContain(moment);
    expect(lowStatuses(await readOrder(app.team, order.id)).at(-1)).toBe('completed');
  });
});

describe('a final value that is withdrawn', () => {
  test('is removed, and PDF and FHIR show a corrected report', async () => {
    await send(GLU, A1C);
    expect(await printed()).not.toContain('CORRECTED REPORT');
    expect(await sendAs('C', GLU.replace(/F$/, 'W'), A1C)).toBe('AA');
    const text = await printed();
    for (const part of ['CORRECTED REPORT', 'Values were withdrawn']) expect(text).toContain(part);
    type Resource = { resourceType: string; status: string; result?: object[] };
    const resources = async (type: string): Promise<Resource[]> => {
      const path = `/v3/order/${order.id}/result/fhir`;
      const { body } = await app.team.api<{ entry: { resource: Resource }[] }>('GET', path);
      return body.entry.map(({ resource }) => resource).filter(({ resourceType }) => resourceType === type);
    };
    const report = async (): Promise<Resource | undefined> => (await resources('DiagnosticReport'))[0];
    const statuses = async (): Promise<string[]> => (await resources('Observation')).map(({ status }) => status);
    expect(await statuses()).toEqual(['final', 'entered-in-error']);
    await sendAs('C', A1C.replace(/F$/, 'W'));
    expect(await report()).toMatchObject({ status: 'corrected', result: [{}, {}] });
    expect(await statuses()).toEqual(['entered-in-error', 'entered-in-error']);
  });
});

describe('an order that goes to its laboratory as a message', () => {
  test('still has a requisition and labels to print', async () => {
    for (const document of ['requisition/pdf', 'labels/pdf?collection_date=2026-01-05T14:30:00Z']) {
      const { status, bytes } = await fetchPdf(app, `/v3/order/${order.id}/${document}`);
      expect([status, Buffer.from(bytes).subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
    }
    expect((await readOrder(app.team, order.id))['requisition_form_url']).toMatch(/^http/);
  });
});

test('a result with an impossible date of birth is refused', async () => {
  sent += 1;
  const text = [
    `MSH|^~\\&|LAB|LABFAC|PHIAL|ACC-1|20260122||ORU^R01^ORU_R01|V${sent}|P|2.5.1`,
    'PID|1||X7||Palmer^Grace||19881340|F',
    `OBR|1|${order.number}||MET||||||||||||||||||20260122|||F`,
    GLU,
  ].join('\r');
  expect(await sendFrame(hl7.port as number, `${text}\r`)).toMatchObject({ code: 'AE', error: 'bad_time' });
});
