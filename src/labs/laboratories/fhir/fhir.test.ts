// Required fields and status codes of the resources are from https://hl7.org/fhir/R4.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import {
  createOrder,
  orderKit,
  patientDetails,
  physician,
  readOrder,
  registeredKit,
  simulate,
} from '../../../../test/factories.ts';
import { labOf, observed, receiveFor, reportOf, sampled } from '../../../../test/lab-reports.ts';
import type { LabReport } from '../../results/lab-report.ts';

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
  team = app.team;
});
afterAll(() => app.close());

type Resource = { resourceType: string; id: string; status?: string; [field: string]: unknown };
type Bundle = { type: string; entry: { fullUrl: string; resource: Resource }[] };

/** The fields that we expect in each type of resource: those that R4 requires, and more. */
const REQUIRED: Record<string, string[]> = {
  ServiceRequest: ['status', 'intent', 'subject'],
  DiagnosticReport: ['status', 'code', 'subject'],
  Observation: ['status', 'code', 'subject'],
  Patient: ['identifier'],
  Practitioner: ['identifier'],
  Organization: ['name'],
  Specimen: ['subject'],
};

const referencesIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'reference' ? [String(each)] : referencesIn(each as unknown),
  );
};
/** Whether a value has something that R4 never allows: null, an empty array or object, or a blank text. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (typeof value === 'object' && (Object.keys(value).length === 0 || Object.values(value).some(isEmpty)));

/** Reads the resources of a bundle, and checks that its references resolve and that required fields are there. */
async function read(path: string): Promise<(kind: string) => Resource[]> {
  const { status, body, headers } = await team.api<Bundle>('GET', path);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/fhir+json; charset=utf-8']);
  const resources = body.entry.map(({ resource }) => resource);
  const urls = body.entry.map(({ fullUrl }) => fullUrl);
  expect(new Set(urls).size).toBe(urls.length);
  expect(urls).toEqual(resources.map(({ id }) => `urn:uuid:${id}`));
  expect(referencesIn(resources).filter((reference) => !urls.includes(reference))).toEqual([]);
  for (const resource of resources)
    expect(Object.keys(resource)).toEqual(expect.arrayContaining(REQUIRED[resource.resourceType] as string[]));
  expect(isEmpty(body)).toBe(false);
  return (kind) => resources.filter(({ resourceType }) => resourceType === kind);
}
const COMPLETED = '?final_status=completed.testkit.completed';

test('an order is a ServiceRequest with its patient, physician, laboratory and specimen', async () => {
  const order = await registeredKit(team);
  const of = await read(`/v3/order/${order.id}/fhir`);
  const { sample_id } = await readOrder(team, order.id);
  expect(of('ServiceRequest')).toMatchObject([{ id: order.id, status: 'active', intent: 'order' }]);
  expect(of('Patient')).toMatchObject([
    {
      id: order.user_id,
      name: [{ family: patientDetails.last_name, given: [patientDetails.first_name] }],
      birthDate: patientDetails.dob,
      gender: patientDetails.gender,
    },
  ]);
  expect(of('Practitioner')).toMatchObject([
    { identifier: [{ system: 'http://hl7.org/fhir/sid/us-npi', value: physician.npi }] },
  ]);
  expect(of('Specimen')).toMatchObject([{ identifier: [{ value: sample_id }] }]);
  expect(of('Organization')).toHaveLength(1);
});

test('an unregistered kit names no person, and a cancelled order is revoked', async () => {
  const order = await orderKit(team);
  const before = await read(`/v3/order/${order.id}/fhir`);
  expect(Object.keys(before('Patient')[0] as Resource).toSorted()).toEqual(['id', 'identifier', 'resourceType']);
  expect([before('Practitioner'), before('Specimen')]).toEqual([[], []]);
  await team.api('POST', `/v3/order/${order.id}/cancel`);
  const after = await read(`/v3/order/${order.id}/fhir`);
  expect(after('ServiceRequest')[0]?.status).toBe('revoked');
});

test('results are a DiagnosticReport with an Observation for each result of the laboratory', async () => {
  const order = await registeredKit(team);
  await simulate(team, order.id, COMPLETED, { interpretation: 'critical' });
  const of = await read(`/v3/order/${order.id}/result/fhir`);
  type Result = { loinc: string; unit: string; value: number; name: string; source_interpretation: string };
  const { results } = (await team.api<{ results: Result[] }>('GET', `/v3/order/${order.id}/result`)).body;
  expect(of('DiagnosticReport')).toMatchObject([{ status: 'final' }]);
  expect(of('ServiceRequest')[0]?.status).toBe('completed');
  expect(of('Observation')).toMatchObject(
    results.map(({ loinc, unit, value, source_interpretation }) => ({
      status: 'final',
      code: { coding: [{ system: 'http://loinc.org', code: loinc }] },
      valueQuantity: { value, unit, system: 'http://unitsofmeasure.org', code: unit },
      interpretation: [{ coding: [{ code: source_interpretation }] }],
    })),
  );
  expect(of('Observation').some(({ interpretation }) => JSON.stringify(interpretation).includes('"AA"'))).toBe(true);
});

test('a missing result is a cancelled Observation with the reason', async () => {
  const order = await registeredKit(team);
  await simulate(team, order.id, COMPLETED, { has_missing_results: true });
  const of = await read(`/v3/order/${order.id}/result/fhir`);
  expect(of('Observation').filter(({ status }) => status === 'cancelled')).toMatchObject([
    { dataAbsentReason: { text: 'quantity_not_sufficient_failure' } },
  ]);
  expect(of('Observation').every((each) => 'dataAbsentReason' in each !== 'valueQuantity' in each)).toBe(true);
});

test('texts, codes and comparisons have the value type of FHIR for them', async () => {
  const order = await registeredKit(team);
  await simulate(team, order.id, COMPLETED, { result_types: ['range', 'comment', 'coded_value'] });
  const of = await read(`/v3/order/${order.id}/result/fhir`);
  const { results } = (
    await team.api<{ results: { type: string; result: string }[] }>('GET', `/v3/order/${order.id}/result`)
  ).body;
  const kind: Record<string, string> = { comment: 'valueString', coded_value: 'valueCodeableConcept' };
  expect(results.length).toBeGreaterThan(0);
  expect(of('Observation').map((each) => Object.keys(each).find((key) => key.startsWith('value')))).toEqual(
    results.map(({ type, result }) => (/^[<>]/.test(result) ? 'valueQuantity' : (kind[type] ?? 'valueString'))),
  );
});

test('two requests get the same answer, and a corrected report has the status corrected', async () => {
  const order = await registeredKit(team);
  await simulate(team, order.id, COMPLETED);
  const path = `/v3/order/${order.id}/result/fhir`;
  const [first, again] = [await team.api<Bundle>('GET', path), await team.api<Bundle>('GET', path)];
  expect(again.body).toEqual(first.body);
  await simulate(team, order.id, '?final_status=completed.testkit.corrected');
  const of = await read(path);
  expect(of('DiagnosticReport')[0]?.status).toBe('corrected');
});

describe('empty values are left out:', () => {
  test('an order without a diagnosis', async () => {
    const { order } = (await createOrder(team, { icd_codes: [] })).body;
    expect((await read(`/v3/order/${order.id}/fhir`))('ServiceRequest')[0]).not.toHaveProperty('reasonCode');
  });

  test('the value of a withdrawn result, which is entered-in-error in a corrected report', async () => {
    const order = await createOrder(team);
    const { id } = order.body.order;
    const receive = (status: LabReport['status'], value: object, day: number) =>
      receiveFor(
        app,
        { team, orderId: id, labId: labOf(order.body.order) },
        reportOf({ status, observations: [observed(value)] }, day),
      );
    await receive('final', { text: '', kind: 'text' }, 7);
    const before = await read(`/v3/order/${id}/result/fhir`);
    expect(before('DiagnosticReport')[0]?.status).toBe('final');
    expect(before('Observation').map(({ dataAbsentReason }) => JSON.stringify(dataAbsentReason))).toContainEqual(
      expect.stringContaining('"unknown"'),
    );
    await receive('corrected', { status: 'withdrawn', text: '' }, 8);
    const after = await read(`/v3/order/${id}/result/fhir`);
    expect(after('DiagnosticReport')[0]?.status).toBe('corrected');
    const observations = after('Observation').filter(({ status }) => status !== 'cancelled');
    expect(observations).toMatchObject([
      { status: 'entered-in-error', code: { text: 'Something' }, dataAbsentReason: {} },
    ]);
    expect(JSON.stringify(observations)).not.toMatch(/"value[A-Z]/);
  });
});

test('a sample that only the laboratory numbered is the specimen of the report', async () => {
  const { order } = (await createOrder(team)).body;
  expect((await read(`/v3/order/${order.id}/fhir`))('Specimen')).toEqual([]);
  await receiveFor(app, { team, orderId: order.id, labId: labOf(order) }, sampled('LAB-TUBE-1'));
  const of = await read(`/v3/order/${order.id}/result/fhir`);
  const [specimen] = of('Specimen');
  expect(specimen).toMatchObject({ identifier: [{ value: 'LAB-TUBE-1' }] });
  expect(of('DiagnosticReport')[0]).toMatchObject({ specimen: [{ reference: `urn:uuid:${String(specimen?.id)}` }] });
});

test('results are not available before the report, and another team gets 404', async () => {
  const order = await registeredKit(team);
  const early = await team.api<{ code: string }>('GET', `/v3/order/${order.id}/result/fhir`);
  expect([early.status, early.body.code]).toEqual([404, 'results_not_available']);
  const other = await app.makeTeam();
  for (const path of ['fhir', 'result/fhir'])
    expect((await other.api<object>('GET', `/v3/order/${order.id}/${path}`)).status).toBe(404);
});
