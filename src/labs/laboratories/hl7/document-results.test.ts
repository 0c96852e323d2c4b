// Laboratory tests whose entire result is a document, for example in pathology and genetics.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lowStatuses } from '../../../../test/factories.ts';
import { obr, obx, PID, startLaboratoryOrders, type LaboratoryOrders } from '../../../../test/hl7-orders.ts';
import { fetchPdf } from '../../../../test/pdf.ts';
import { readConnectionFile } from './connections/connect-laboratory.ts';

const pathology = {
  provider_id: 'PATH',
  slug: 'pathology',
  name: 'Surgical pathology',
  price: '90.00',
  reported_as: 'document',
  analytes: [],
};
const PDF = Buffer.from('%PDF-1.7\n%a report\nstartxref\n9\n%%EOF\n');
const document = (status = 'F'): string =>
  `OBX|1|ED|PDF^Report^L||^application^pdf^Base64^${PDF.toString('base64')}||||||${status}`;

let orders: LaboratoryOrders;
beforeAll(async () => {
  orders = await startLaboratoryOrders([pathology]);
});
afterAll(() => orders.close());

const last = async (id: string): Promise<string | undefined> => lowStatuses(await orders.read(id)).at(-1);
const served = async (id: string): Promise<boolean> =>
  Buffer.from((await fetchPdf(orders.app, `/v3/order/${id}/result/pdf`)).bytes).equals(PDF);

describe('an order of a test that is reported as a document', () => {
  test('is completed by the document without values, and serves it', async () => {
    const { id, number } = await orders.walkIn(['PATH']);
    expect(await orders.send([PID, obr(number, 'PATH', 'F'), document()])).toBe('AA');
    expect(await last(id)).toBe('completed');
    expect(await orders.results(id)).toMatchObject({
      metadata: { status: 'final', interpretation: 'unknown' },
      results: [],
      missing_results: [],
    });
    expect(await served(id)).toBe(true);
    expect((await orders.events(id)).at(-1)).toBe('completed');
    const { body } = await orders.app.team.api<{ entry: { resource: Record<string, unknown> }[] }>(
      'GET',
      `/v3/order/${id}/result/fhir`,
    );
    expect(body.entry[0]?.resource).toMatchObject({
      resourceType: 'DiagnosticReport',
      status: 'final',
      presentedForm: [
        {
          contentType: 'application/pdf',
          url: `https://phial.example.com/v3/order/${id}/result/pdf`,
          title: 'Report of the laboratory',
        },
      ],
    });
  });

  test('is partial with a preliminary document, and completed by the final one', async () => {
    const { id, number } = await orders.walkIn(['PATH']);
    await orders.send([PID, obr(number, 'PATH', 'P'), document('P')]);
    expect(await last(id)).toBe('partial_results');
    await orders.send([PID, obr(number, 'PATH', 'F', '20260123100000'), document()]);
    expect(await last(id)).toBe('completed');
  });

  test('and of a test with values is completed only when the values come', async () => {
    const { id, number } = await orders.walkIn(['PATH', 'MET']);
    await orders.send([PID, obr(`${number}-1`, 'PATH', 'F'), document()]);
    expect(await last(id)).toBe('partial_results');
    expect((await orders.results(id)).missing_results).toEqual([]);
    await orders.send([PID, obr(`${number}-2`, 'MET', 'F', '20260123100000'), obx('GLU', '90'), obx('A1C', '5')]);
    expect(await last(id)).toBe('completed');
  });

  test('is not completed by a document that we cannot store', async () => {
    const { id, number } = await orders.walkIn(['PATH']);
    const elsewhere = 'OBX|1|RP|PDF^Report^L||https://example.com/r||||||F';
    expect(await orders.send([PID, obr(number, 'PATH', 'F'), elsewhere])).toBe('AE document_without_values');
    expect(await last(id)).toBe('requisition_bypassed');
    expect((await orders.read(id))['has_results_in_review']).toBe(true);
  });
});

test('an order of a test with values is not completed by a document alone', async () => {
  const { id, number } = await orders.walkIn(['MET']);
  expect(await orders.send([PID, obr(number, 'MET', 'F'), document()])).toBe('AE document_without_values');
  expect(await last(id)).toBe('requisition_bypassed');
});

test('teams see how a marker is reported, and a file needs analytes or reported_as document', async () => {
  const markers = (
    await orders.app.team.api<{ markers: { slug: string; reported_as: string }[] }>(
      'GET',
      '/v3/lab_tests/markers?lab_slug=saguaro-lab',
    )
  ).body.markers;
  const how = Object.fromEntries(markers.map(({ slug, reported_as }) => [slug, reported_as]));
  expect(how).toMatchObject({ pathology: 'document', metabolic: 'values' });
  const file = {
    laboratory: {
      slug: 'l',
      name: 'L',
      first_line_address: '1 Test Street',
      city: 'Phoenix',
      state: 'AZ',
      zipcode: '85004',
      collection_methods: ['testkit'],
      sample_types: ['serum'],
    },
    markers: [{ provider_id: 'PATH', slug: 'pathology', name: 'Pathology', analytes: [] }],
    hl7: {
      time_zone: 'America/Phoenix',
      application: 'LAB',
      facility: 'F',
      orders: { folder: '/o' },
      results: { folder: '/r' },
    },
  };
  expect(readConnectionFile(JSON.stringify(file))).toEqual({
    problems: ['/markers/0 needs analytes, unless it is reported_as a document.'],
  });
});
