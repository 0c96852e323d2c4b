import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { query } from '../../../test/global-setup.ts';
import type { Lab, LabTestPage, Marker, MarkerPage } from './schemas.ts';

type Page = Static<typeof MarkerPage>;
type Problems = { detail: { type: string; loc: string[] }[] };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const KIT_MARKERS = 40;
const REFERENCE_MARKERS = 73;
const markers = async (query = ''): Promise<Page> =>
  (await app.api<Page>('GET', `/v3/lab_tests/markers?${query}`)).body;
const ids = ({ markers }: Page): number[] => markers.map(({ id }) => id);
const labTestId = async (slug: string): Promise<string> => {
  const { body } = await app.api<Static<typeof LabTestPage>>('GET', '/v3/lab_test');
  return body.data.find((one) => one.slug === slug)?.id as string;
};

test('the laboratories are the same for every team', async () => {
  const { status, body } = await app.api<Static<typeof Lab>[]>('GET', '/v3/lab_tests/labs');
  expect(status).toBe(200);
  expect(body).toEqual([
    expect.objectContaining({ id: 1, slug: 'simulated-kit-lab', zipcode: '85281', collection_methods: ['testkit'] }),
    {
      id: 2,
      slug: 'simulated-reference-lab',
      name: 'Phial Simulated Reference Laboratory',
      first_line_address: '200 Example Reference Road',
      city: 'Columbus',
      zipcode: '43215',
      collection_methods: ['walk_in_test', 'at_home_phlebotomy', 'on_site_collection'],
      sample_types: ['serum', 'urine'],
    },
  ]);
  expect((await (await app.makeTeam()).api('GET', '/v3/lab_tests/labs')).body).toEqual(body);
});

test('the catalogue needs a key', async () => {
  const id = await labTestId('heart-health');
  for (const path of ['labs', 'markers', `${id}/markers`, '1/markers/KIT-4548']) {
    expect((await app.api('GET', `/v3/lab_tests/${path}`, undefined, { key: null })).status).toBe(401);
  }
});

describe('the markers', () => {
  test('come with the LOINC code and the unit of their results', async () => {
    const {
      markers: [a1c],
    } = await markers('lab_slug=simulated-reference-lab&name=hemoglobin a1c');
    expect(a1c).toEqual({
      id: 2001,
      name: 'Hemoglobin A1c',
      slug: 'hemoglobin-a1c',
      description: 'Average blood sugar over the past two to three months.',
      lab_id: 2,
      provider_id: 'REF-4548',
      type: 'biomarker',
      unit: '%',
      price: '14.00',
      aoe: null,
      a_la_carte_enabled: true,
      common_tat_days: 1,
      worst_case_tat_days: 3,
      reported_as: 'values',
      is_orderable: true,
      expected_results: [
        {
          id: 1,
          name: 'Hemoglobin A1c',
          slug: 'hemoglobin-a1c',
          lab_id: 2,
          provider_id: 'REF-4548',
          required: true,
          loinc: {
            id: 1,
            name: 'Hemoglobin A1c/Hemoglobin.total in Blood',
            slug: 'hemoglobin-a1c',
            code: '4548-4',
            unit: '%',
          },
        },
      ],
    });
  });

  test('that are panels list each of their results, computed ones as not required', async () => {
    const {
      markers: [panel],
    } = await markers('lab_id=1&name=lipid panel');
    expect(
      panel?.expected_results.map(({ slug, required, loinc }) => [slug, required, loinc?.code, loinc?.unit]),
    ).toEqual([
      ['total-cholesterol', true, '2093-3', 'mg/dL'],
      ['hdl-cholesterol', true, '2085-9', 'mg/dL'],
      ['triglycerides', true, '2571-8', 'mg/dL'],
      ['ldl-cholesterol-calculated', false, '13457-7', 'mg/dL'],
      ['cholesterol-hdl-ratio', false, '9830-1', '{ratio}'],
    ]);
  });

  test('all list their results, and every result has a LOINC code', async () => {
    const all = [await markers('size=100'), await markers('size=100&page=2')].flatMap((page) => page.markers);
    expect(all).toHaveLength(KIT_MARKERS + REFERENCE_MARKERS);
    for (const { expected_results } of all) expect(expected_results).not.toHaveLength(0);
    expect(
      all.flatMap((one) => one.expected_results).filter(({ loinc }) => !/^\d+-\d$/.test(loinc?.code ?? '')),
    ).toEqual([]);
  });

  test.each([
    ['lab_id=1', KIT_MARKERS],
    ['lab_id=1,2', KIT_MARKERS + REFERENCE_MARKERS],
    ['lab_id=1&lab_id=3', KIT_MARKERS],
    ['lab_id=99999999999', 0],
    ['lab_slug=simulated-kit-lab', KIT_MARKERS],
    ['lab_slug=quest', 0],
    ['lab_id=1&lab_slug=simulated-reference-lab', 0],
    ['name=LIPID', 2],
    ['name=%25', 0],
    ['name=lipid_panel', 0],
    ['name=', KIT_MARKERS + REFERENCE_MARKERS],
    ['a_la_carte_enabled=true', REFERENCE_MARKERS],
    ['a_la_carte_enabled=FALSE', KIT_MARKERS],
    ['a_la_carte_enabled=1&lab_id=1', 0],
  ])('with %s are %i', async (query, total) => {
    expect((await markers(query)).total).toBe(total);
  });

  test('come in pages with totals', async () => {
    const total = KIT_MARKERS + REFERENCE_MARKERS;
    const first = await markers();
    expect(first).toMatchObject({ total, page: 1, size: 50, pages: 3, pricing: null });
    expect(first.markers).toHaveLength(50);
    const walked = [];
    for (let page = 1; page <= 12; page += 1) walked.push(...ids(await markers(`size=10&page=${page}`)));
    expect(new Set(walked).size).toBe(total);
    expect(walked).toEqual(walked.toSorted((a, b) => a - b));
    expect(await markers('size=10&page=13')).toMatchObject({ markers: [], total, page: 13, pages: 12 });
    expect(await markers('size=100&page=1000000000')).toMatchObject({ markers: [], total });
    expect(await markers('name=no such marker')).toMatchObject({ markers: [], total: 0, pages: 0 });
  });

  test('return the prices of their page in cents on request', async () => {
    await query(app.databaseUrl, 'update markers set price = null where id = 1005');
    const { pricing } = await markers('include_pricing=true&lab_id=1&size=3');
    expect(pricing).toEqual({
      currency: 'USD',
      data: {
        1001: { base_amount_minor: 1900, modifiers: null },
        1004: { base_amount_minor: 900, modifiers: null },
        1005: { unspecified: 'price_unavailable' },
      },
    });
    expect((await markers('include_pricing=false')).pricing).toBeNull();
  });

  test('are refused with every problem of the query', async () => {
    const { status, body } = await app.api<Problems>(
      'GET',
      '/v3/lab_tests/markers?lab_id=x&a_la_carte_enabled=maybe&include_pricing=2&lab_account_id=1&page=0&size=101',
    );
    expect(status).toBe(422);
    expect(body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`).toSorted()).toEqual([
      'bool_parsing query.a_la_carte_enabled',
      'bool_parsing query.include_pricing',
      'greater_than_equal query.page',
      'int_parsing query.lab_id.0',
      'less_than_equal query.size',
      'uuid_parsing query.lab_account_id',
    ]);
  });
});

describe('the markers of a lab test', () => {
  test('come in the order of the lab test, with their results', async () => {
    const path = `/v3/lab_tests/${await labTestId('standard-walk-in')}/markers`;
    const { body } = await app.api<Page>('GET', path);
    expect(body).toMatchObject({ total: 4, page: 1, size: 50, pages: 1, pricing: null });
    expect(ids(body)).toEqual([2101, 2102, 2103, 2001]);
    expect(body.markers.map(({ expected_results }) => expected_results.length)).toEqual([15, 5, 5, 1]);
    const second = await app.api<Page>('GET', `${path}?page=2&size=3`);
    expect(second.body).toMatchObject({ total: 4, page: 2, size: 3, pages: 2 });
    expect(ids(second.body)).toEqual([2001]);
  });

  test('are refused for sizes out of bounds', async () => {
    const path = `/v3/lab_tests/${await labTestId('standard-walk-in')}/markers`;
    for (const query of ['page=0', 'size=0', 'size=101', 'size=x'])
      expect((await app.api('GET', `${path}?${query}`)).status).toBe(422);
  });
});

describe('a marker', () => {
  test("is read by the laboratory's order code", async () => {
    const { status, body } = await app.api<Static<typeof Marker>>('GET', '/v3/lab_tests/1/markers/KIT-4548');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 1001, lab_id: 1, provider_id: 'KIT-4548', unit: '%', price: '19.00' });
    expect(body).not.toHaveProperty('expected_results');
  });

  test.each(['2/markers/KIT-4548', '1/markers/KIT-0', '99999999999/markers/KIT-4548'])(
    'is not found at %s',
    async (path) => {
      const answer = await app.api<{ code: string }>('GET', `/v3/lab_tests/${path}`);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    },
  );

  test('is refused for a laboratory id that is not a number', async () => {
    expect((await app.api('GET', '/v3/lab_tests/one/markers/KIT-4548?lab_account_id=x')).status).toBe(422);
  });
});
