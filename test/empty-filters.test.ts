// A filter that a forgotten variable left empty never lists everything.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { PARAMETERS, QUERIES } from '../src/openapi-texts/examples.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { problemsOf } from './people.ts';

/** Free text to search for. Empty text, as from an empty search field, counts as absent. */
const FREE_TEXT = [
  'get_result_trend marker',
  'list_invites search_query',
  'list_lab_tests name',
  'list_markers name',
  'list_members search_query',
  'list_orders patient_name',
  'list_orders search_input',
  'list_orders shipping_recipient_name',
  'list_orders_short_path patient_name',
  'list_orders_short_path search_input',
  'list_orders_short_path shipping_recipient_name',
  'list_teams search_query',
  'page_lab_tests name',
  'search_payors insurance_name',
  'search_users query_id',
];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('an empty value is refused at every parameter of every list, except free text', async () => {
  const lists = operations.filter(({ method, query, auth }) => method === 'GET' && query && auth !== 'none');
  expect(lists.length).toBeGreaterThan(100);
  const taken: string[] = [];
  for (const { id, path, query } of lists) {
    const own: Record<string, unknown> = { ...PARAMETERS, org_id: app.team.org_id, team_id: app.team.id };
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(own[name]));
    for (const name of Object.keys(query?.properties ?? {})) {
      const response = await app.api(
        'GET',
        `${filled}?${new URLSearchParams({ ...(QUERIES[id] as Record<string, string>), [name]: '' }).toString()}`,
      );
      if (response.status !== 422) taken.push(`${id} ${name}`);
      else expect(problemsOf(response)).toContainEqual(expect.stringMatching(`^query\\.${name}(\\.0)? `));
    }
  }
  expect(taken.toSorted()).toEqual(FREE_TEXT);
});
