import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const SECRETS = [
  'svix_app_id',
  'client_id',
  'client_secret',
  'airtable_api_key',
  'airtable_base_id',
  'webhook_secret',
  'api_key',
  'api_keys',
];

test('a key reads its own team with its settings, without keys and secrets', async () => {
  const created = await app.api<{ id: string }>('POST', `/v1/org/${app.team.org_id}/team`, {
    name: 'Phoenix clinic',
    region: 'us',
    minor_ordering_enabled: true,
    lab_tests_patient_sms_communication_enabled: false,
    logo_url: 'https://example.com/logo.png',
  });
  const key = await app.api<{ value: string }>('POST', `/v1/org/${app.team.org_id}/team_api_keys/sandbox/us`, {
    label: 'test',
    team_id: created.body.id,
  });
  const as = { key: key.body.value };
  const own = await app.api<Record<string, unknown>>('GET', `/v2/team/${created.body.id}`, undefined, as);
  expect(own.body).toMatchObject({
    ...Object.fromEntries(SECRETS.map((name) => [name, null])),
    id: created.body.id,
    org_id: app.team.org_id,
    name: 'Phoenix clinic',
    logo_url: 'https://example.com/logo.png',
    testkits_texts_enabled: false,
    lab_tests_patient_communication_enabled: true,
    configuration: {
      minor_ordering_enabled: true,
      backfill_events_enabled: true,
      partial_webhooks_enabled: false,
      provider_raw_data: false,
      event_type_prefixes: null,
      libreview: { practice_id: {}, strip_tz: false },
    },
  });
  expect(JSON.stringify(own.body)).not.toContain(key.body.value.slice(0, 8));
  expect((await app.api('GET', `/v2/team/${app.team.id}`, undefined, as)).status).toBe(404);
});
