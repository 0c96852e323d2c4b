import { sql } from 'kysely';
import type { Static } from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { newId } from '../../ids.ts';
import type { LabTest, LabTestPage } from './schemas.ts';
import { STANDARD_TESTS } from './sandbox/standard-tests.ts';

type Page = Static<typeof LabTestPage>;
type Problems = { code: string; detail: { type: string; loc: string[] }[] };

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
});

const slugs = (tests: LabTest[]): string[] => tests.map(({ slug }) => slug);
const list = async (query = ''): Promise<string[]> =>
  slugs((await team.api<Page>('GET', `/v3/lab_test?${query}`)).body.data);
const labTest = async (slug: string): Promise<LabTest> => {
  const { body } = await team.api<Page>('GET', '/v3/lab_test?generation_method=all');
  return body.data.find((one) => one.slug === slug) as LabTest;
};
const change = (slug: string, values: Record<string, unknown>) =>
  app.db.updateTable('lab_tests').set(values).where('team_id', '=', team.id).where('slug', '=', slug).execute();
const problemsOf = async (path: string): Promise<string[]> => {
  const { status, body } = await team.api<Problems>('GET', path);
  expect(status).toBe(422);
  return body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`);
};

describe('the lab tests of a team', () => {
  test('are refused without pages if there are more than 300', async () => {
    const tests = (await team.api<LabTest[]>('GET', '/v3/lab_tests')).body.length;
    await sql`
      insert into lab_tests (id, team_id, slug, name, description, sample_type, method, lab_id, price, status,
             auto_generated)
      select gen_random_uuid(), ${team.id}, 'many-' || n, 'Many', 'Many', 'serum', 'walk_in_test', 1, 1, 'active', true
        from generate_series(1, 301) n`.execute(app.db);
    const all = await team.api<{ code: string }>('GET', '/v3/lab_tests?generation_method=auto');
    expect([all.status, all.body.code]).toEqual([400, 'too_many_matches']);
    expect((await team.api<LabTest[]>('GET', '/v3/lab_tests')).body).toHaveLength(tests);
    await sql`delete from lab_tests where team_id = ${team.id} and slug = 'many-1'`.execute(app.db);
    expect((await team.api<LabTest[]>('GET', '/v3/lab_tests?generation_method=auto')).body).toHaveLength(300);
  });

  test('are at first the standard ones, in the order of creation', async () => {
    const { status, body } = await team.api<Page>('GET', '/v3/lab_test');
    expect(status).toBe(200);
    expect(slugs(body.data)).toEqual(STANDARD_TESTS.map(({ slug }) => slug));
    expect(body.next_cursor).toBeNull();
  });

  test('contain laboratory, markers, and every optional key, null if it has no value', async () => {
    await change('thyroid-health', { common_tat_days: null });
    const thyroid = await labTest('thyroid-health');
    expect(thyroid).toEqual({
      id: expect.any(String),
      slug: 'thyroid-health',
      name: 'Thyroid panel',
      description: 'TSH, free T4, free T3 and thyroid peroxidase antibody.',
      sample_type: 'dried_blood_spot',
      method: 'testkit',
      price: 79,
      is_active: true,
      status: 'active',
      fasting: false,
      lab: {
        id: 1,
        slug: 'simulated-kit-lab',
        name: 'Phial Simulated Kit Laboratory',
        first_line_address: '100 Example Kit Way',
        city: 'Tempe',
        zipcode: '85281',
        collection_methods: ['testkit'],
        sample_types: ['dried_blood_spot', 'arm_collector', 'saliva', 'urine', 'stool'],
      },
      markers: [
        {
          id: 1102,
          name: 'Thyroid panel',
          slug: 'thyroid-panel',
          description: 'TSH, free hormones and TPO antibody.',
          lab_id: 1,
          provider_id: 'KIT-THYROID',
          type: 'panel',
          unit: null,
          price: '59.00',
          aoe: null,
          a_la_carte_enabled: false,
          common_tat_days: 3,
          worst_case_tat_days: 7,
          reported_as: 'values',
          is_orderable: true,
        },
      ],
      is_delegated: false,
      auto_generated: false,
      has_collection_instructions: true,
      common_tat_days: null,
      worst_case_tat_days: 7,
    });
  });

  test('are read one by one, in either case of the id', async () => {
    const kit = await labTest('heart-health');
    expect((await team.api('GET', `/v3/lab_tests/${kit.id}`)).body).toEqual(kit);
    expect((await team.api('GET', `/v3/lab_tests/${kit.id.toUpperCase()}`)).body).toEqual(kit);
  });

  test('are not active while they wait for approval', async () => {
    await change('heart-health', { status: 'pending_approval' });
    expect(await labTest('heart-health')).toMatchObject({ status: 'pending_approval', is_active: false });
  });

  test('without markers have an empty list', async () => {
    const { id } = await labTest('heart-health');
    await app.db.deleteFrom('lab_test_markers').where('lab_test_id', '=', id).execute();
    expect((await labTest('heart-health')).markers).toEqual([]);
  });

  test('cannot be read by another team', async () => {
    const { id } = await labTest('heart-health');
    const other = await app.makeTeam('Mesa Clinic');
    for (const path of [`/v3/lab_tests/${id}`, `/v3/lab_tests/${id}/markers`, `/v3/lab_tests/${newId()}`]) {
      const answer = await other.api<{ code: string }>('GET', path);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    const { body } = await other.api<Page>('GET', '/v3/lab_test');
    expect(body.data.map((one) => one.id)).not.toContain(id);
    expect(body.data).toHaveLength(STANDARD_TESTS.length);
  });

  test('need a key', async () => {
    const { id } = await labTest('heart-health');
    for (const path of ['/v3/lab_test', '/v3/lab_tests', `/v3/lab_tests/${id}`]) {
      expect((await team.api('GET', path, undefined, { key: null })).status).toBe(401);
    }
  });

  test('are refused for an id that is not a UUID', async () => {
    expect(await problemsOf('/v3/lab_tests/heart?lab_account_id=1')).toEqual([
      'uuid_parsing path.lab_test_id',
      'uuid_parsing query.lab_account_id',
    ]);
  });
});

describe('the deprecated list', () => {
  test('returns the same lab tests as an array, and names its successor', async () => {
    const old = await team.api<LabTest[]>(
      'GET',
      '/v3/lab_tests?lab_slug=simulated-reference-lab&order_key=price&order_direction=desc',
    );
    const { body } = await team.api<Page>(
      'GET',
      '/v3/lab_test?lab_slug=simulated-reference-lab&order_key=price&order_direction=desc',
    );
    expect(old.body).toEqual(body.data);
    expect(slugs(old.body)).toEqual(['standard-at-home-phlebotomy', 'standard-on-site', 'standard-walk-in']);
    expect(old.headers.get('deprecation')).toBe('@1748736000');
    expect(old.headers.get('link')).toBe('</v3/lab_test>; rel="successor-version"');
  });

  test('is not cut at a length', async () => {
    await addLabTests(101);
    expect((await team.api<LabTest[]>('GET', '/v3/lab_tests')).body).toHaveLength(STANDARD_TESTS.length + 101);
  });

  test("has no pages: the new list's parameters are ignored", async () => {
    expect((await team.api<LabTest[]>('GET', '/v3/lab_tests?lab_test_limit=1&next_cursor=x')).body).toHaveLength(
      STANDARD_TESTS.length,
    );
  });
});

describe('a filter', () => {
  const kits = STANDARD_TESTS.filter(({ method }) => method === 'testkit').map(({ slug }) => slug);
  const all = STANDARD_TESTS.map(({ slug }) => slug);

  test.each([
    ['', all],
    ['collection_method=testkit', kits],
    ['lab_slug=simulated-kit-lab', kits],
    ['lab_slug=simulated-reference-lab&collection_method=on_site_collection', ['standard-on-site']],
    ['lab_slug=simulated-kit-lab&collection_method=on_site_collection', []],
    ['status=active', all],
    ['status=inactive', []],
    ['marker_ids=1029', ['standard-testkit', 'heart-health', 'inflammation']],
    ['marker_ids=1029,1101', ['standard-testkit', 'heart-health']],
    ['marker_ids=1029&marker_ids=1101', ['standard-testkit', 'heart-health']],
    ['provider_ids=KIT-30522', ['standard-testkit', 'heart-health', 'inflammation']],
    ['provider_ids=KIT-30522,KIT-2276', ['inflammation']],
    ['name=PANEL,%20', ['sexual-health-urine', 'sexual-health-blood']],
    ['name=sexual', ['sexual-health-urine', 'sexual-health-blood']],
    ['name=%25', []],
    ['name=t_st', []],
    ['name=%5C', []],
    ['name=', all],
  ])('%s selects the matching lab tests', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
    expect(slugs((await team.api<LabTest[]>('GET', `/v3/lab_tests?${query}`)).body)).toEqual(expected);
  });

  test.each([
    'generation_method=some',
    'lab_slug=quest',
    'collection_method=mail',
    'status=lost',
    'marker_ids=1029,1',
    'marker_ids=-1',
    'marker_ids=99999999999',
    'provider_ids=KIT-0',
  ])('%s is unknown and matches nothing', async (query) => {
    expect(await list(query)).toEqual([]);
  });

  test('generation_method shows generated lab tests only on request', async () => {
    await change('heart-health', { auto_generated: true });
    expect(await list()).not.toContain('heart-health');
    expect(await list('generation_method=manual')).not.toContain('heart-health');
    expect(await list('generation_method=auto')).toEqual(['heart-health']);
    expect(await list('generation_method=all')).toHaveLength(STANDARD_TESTS.length);
  });

  test('finds a name by its special characters', async () => {
    await change('heart-health', { name: '100%_Heart\\' });
    for (const name of ['100%25', '%25_h', '%5C']) expect(await list(`name=${name}`)).toEqual(['heart-health']);
  });

  test('is refused with every invalid parameter', async () => {
    expect(
      await problemsOf('/v3/lab_test?marker_ids=1029,x&order_key=name&order_direction=up&lab_test_limit=101&name=%00'),
    ).toEqual([
      'string_unicode query.name',
      'int_parsing query.marker_ids.1',
      'enum query.order_key',
      'enum query.order_direction',
      'less_than_equal query.lab_test_limit',
    ]);
    expect(await problemsOf('/v3/lab_tests?order_key=name&order_direction=up')).toEqual([
      'enum query.order_key',
      'enum query.order_direction',
    ]);
    expect(await problemsOf('/v3/lab_test?lab_test_limit=0')).toEqual(['greater_than_equal query.lab_test_limit']);
  });
});

async function addLabTests(count: number, values: (n: number) => object = () => ({})): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, n) => ({
    id: newId(),
    team_id: team.id,
    slug: `own-${n}`,
    name: `Own ${n}`,
    description: '',
    sample_type: 'serum',
    method: 'walk_in_test',
    lab_id: 2,
    price: 10,
    status: 'active',
    ...values(n),
  }));
  await app.db.insertInto('lab_tests').values(rows).execute();
  return rows.map(({ slug }) => slug);
}

async function walk(
  query: string,
  between: () => Promise<unknown> = async () => {},
): Promise<{ slugs: string[]; sizes: number[] }> {
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body }: { body: Page } = await team.api<Page>(
      'GET',
      `/v3/lab_test?${query}${cursor && `&next_cursor=${cursor}`}`,
    );
    pages.push(slugs(body.data));
    cursor = body.next_cursor;
    await between();
  }
  return { slugs: pages.flat(), sizes: pages.map((page) => page.length) };
}

// Lab tests with equal prices, with equal times, and with times that differ by a microsecond. If a cursor contained
// only milliseconds, the pages would lose some of these lab tests.
const uneven = (n: number): object => ({
  price: [12.5, 12.49, 99999999.99, 0, 12.5][n % 5],
  created_at: `2026-01-02T03:04:05.00000${[3, 1, 2, 1, 0][n % 5]}Z`,
  updated_at: `2026-01-02T03:04:0${[1, 1, 0, 2, 2][n % 5]}.999999Z`,
});

describe('the pages', () => {
  for (const key of ['price', 'created_at', 'updated_at'] as const) {
    for (const direction of ['asc', 'desc'] as const) {
      test(`give every lab test once by ${key} ${direction}`, async () => {
        await addLabTests(10, uneven);
        const inOrder = await app.db
          .selectFrom('lab_tests')
          .select('slug')
          .where('team_id', '=', team.id)
          .orderBy(key, direction)
          .orderBy('id', direction)
          .execute();
        const { slugs: walked, sizes } = await walk(`lab_test_limit=3&order_key=${key}&order_direction=${direction}`);
        expect(walked).toEqual(inOrder.map(({ slug }) => slug));
        expect(sizes).toEqual([3, 3, 3, 3, 3, 3, 3, 2]);
      });
    }
  }

  test('have 50 lab tests by default and 100 at most', async () => {
    await addLabTests(101 - STANDARD_TESTS.length);
    expect((await walk('')).sizes).toEqual([50, 50, 1]);
    expect((await walk('lab_test_limit=100')).sizes).toEqual([100, 1]);
  });

  test('end without a cursor if the last one is full', async () => {
    await addLabTests(4);
    expect((await walk('lab_slug=simulated-reference-lab&lab_test_limit=7')).sizes).toEqual([7]);
  });

  test('follow their filter', async () => {
    expect((await walk('lab_slug=simulated-reference-lab&lab_test_limit=2')).slugs).toEqual([
      'standard-walk-in',
      'standard-at-home-phlebotomy',
      'standard-on-site',
    ]);
  });

  test('neither repeat nor skip a lab test while others are added before and behind', async () => {
    const before = await addLabTests(10, uneven);
    let round = 0;
    const { slugs: walked } = await walk('lab_test_limit=3&order_key=price', async () => {
      round += 1;
      await addLabTests(2, (n) => ({ slug: `new-${round}-${n}`, price: n * 100 }));
    });
    const old = [...before, ...STANDARD_TESTS.map(({ slug }) => slug)];
    expect(walked.filter((slug) => old.includes(slug)).toSorted()).toEqual(old.toSorted());
    expect(new Set(walked).size).toBe(walked.length);
  });

  test('continue if order_key and order_direction are left out and the defaults are the same', async () => {
    const first = await team.api<Page>(
      'GET',
      '/v3/lab_test?lab_test_limit=12&order_key=created_at&order_direction=asc',
    );
    expect(await list(`next_cursor=${first.body.next_cursor}`)).toEqual(['inflammation']);
  });

  test('are refused for a cursor of another order', async () => {
    const { body } = await team.api<Page>('GET', '/v3/lab_test?lab_test_limit=1&order_key=price');
    for (const query of [
      'next_cursor=x',
      `next_cursor=${body.next_cursor}`,
      `next_cursor=${body.next_cursor}&order_key=price&order_direction=desc`,
    ]) {
      expect(await problemsOf(`/v3/lab_test?${query}`)).toEqual(['value_error query.next_cursor']);
    }
  });
});
