// Codes and numbers of a laboratory, in JSON and FHIR.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { obr, PID, startLaboratoryOrders, type LaboratoryOrders } from '../../../../test/hl7-orders.ts';

const culture = {
  provider_id: 'CULT',
  slug: 'culture',
  name: 'Urine culture',
  price: '30.00',
  analytes: [
    { code: 'ORG', slug: 'saguaro-organism', name: 'Organism', loinc_code: '6463-4', result_type: 'coded_value' },
  ],
};
const ORGANISM = 'OBX|1|CWE|ORG^Organism^L||112283007^Escherichia coli^SCT^ECOLI^E. coli^L|||A|||F';

let orders: LaboratoryOrders;
beforeAll(async () => {
  orders = await startLaboratoryOrders([culture]);
});
afterAll(() => orders.close());

type Resource = Record<string, unknown> & { resourceType: string };
const fhir = async (path: string): Promise<(kind: string) => Resource[]> => {
  const { body } = await orders.app.team.api<{ entry: { resource: Resource }[] }>('GET', path);
  return (kind) => body.entry.map(({ resource }) => resource).filter(({ resourceType }) => resourceType === kind);
};

test('a coded result keeps its SNOMED CT code and its code of the laboratory', async () => {
  const { id, number } = await orders.walkIn(['CULT']);
  expect(await orders.send([PID, obr(number, 'CULT', 'F'), ORGANISM])).toBe('AA');
  expect((await orders.results(id)).results).toMatchObject([
    {
      type: 'coded_value',
      result: 'Escherichia coli',
      result_codes: [
        { code: '112283007', text: 'Escherichia coli', system: 'SCT' },
        { code: 'ECOLI', text: 'E. coli', system: 'L' },
      ],
    },
  ]);
  const of = await fhir(`/v3/order/${id}/result/fhir`);
  expect(of('Observation')).toMatchObject([
    {
      valueCodeableConcept: {
        text: 'Escherichia coli',
        coding: [
          { system: 'http://snomed.info/sct', code: '112283007', display: 'Escherichia coli' },
          { code: 'ECOLI', display: 'E. coli' },
        ],
      },
    },
  ]);
});

test('a DiagnosticReport has the numbers of the laboratory, and the PDF of the results', async () => {
  const { id, number } = await orders.walkIn(['CULT']);
  const specimen = `SPM|1|||UR^Urine^HL70487${'|'.repeat(26)}ACC-${number}`;
  await orders.send([PID, obr(number, 'CULT', 'F'), ORGANISM, specimen]);
  const of = await fhir(`/v3/order/${id}/result/fhir`);
  const typed = (code: string, value: string): object => ({ type: { coding: [{ code }] }, value });
  expect(of('DiagnosticReport')).toMatchObject([
    {
      identifier: [typed('ACSN', `ACC-${number}`), typed('FILL', `F-${number}`)],
      presentedForm: [{ contentType: 'application/pdf', title: 'Report of the results' }],
    },
  ]);
  const request = [typed('PLAC', id), typed('FILL', `F-${number}`), typed('PLAC', number)];
  expect(of('ServiceRequest')).toMatchObject([{ identifier: request }]);
  expect((await fhir(`/v3/order/${id}/fhir`))('ServiceRequest')).toMatchObject([{ identifier: request }]);
});
