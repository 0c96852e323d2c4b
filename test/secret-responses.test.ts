// Answers with a secret are marked: they are not compressed, and are stored for an idempotency key with the caller's
// own key.
import { expect, test } from 'vitest';
import { operations } from '../src/operations.ts';

/** Names of fields that hold a key, a token or a link. */
const OPENS = /token|secret|password|key$|keys$|url$/;

/**
 * Fields that open nothing, or are valid too briefly to be guessed. Some depend on their operation. See
 * docs/decisions/tokens-and-signed-links.md for signed ones.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  airtable_api_key: 'always null',
  api_key: 'always null, or masked',
  api_keys: 'always null, or the first characters of each',
  client_secret: 'always null, or masked',
  client_secret_hash: 'a keyed hash',
  webhook_secret: 'always null, or masked',
  webhook_secret_key: 'masked',
  webhook_secret_token: 'masked',
  webhook_token: 'masked',
  workout_verify_token: 'masked',
  sleep_verify_token: 'masked',
  body_verify_token: 'masked',
  foods_verify_token: 'masked',
  'prepare_team_custom_credentials key': 'the name of a detail',
  former_secret_ends_at: 'a time',
  public_key: 'public',
  booking_key: 'books nothing without a key of the team',
  next_token: 'a cursor',
  signed_links_end_with_key: 'a choice',
  app_url: 'always null',
  base_url: 'of a server of an EHR',
  token_url: 'of a server of an EHR',
  logo_url: 'a picture',
  inbound_tracking_url: 'of a carrier',
  outbound_tracking_url: 'of a carrier',
  redirect_url: "the team's own page",
  session_continuation_url: "the organisation's own page",
  requisition_form_url: 'signed, another one each hour',
  'create_lab_report_parser_job url': 'signed, another one each second',
  'get_lab_report_parser_job url': 'signed, another one each second',
  'get_webhook_portal url': 'of the reference page',
  ...Object.fromEntries(
    ['list_webhooks', 'create_webhook', 'get_webhook', 'patch_webhook', 'get_webhook_attempt'].map((id) => [
      `${id} url`,
      "the team's own",
    ]),
  ),
};

test('an answer with a secret field is marked', () => {
  const unmarked = operations.flatMap(({ id, response, secretResponse }) =>
    secretResponse
      ? []
      : [...namesIn(response)].filter((name) => OPENS.test(name)).map((name) => [`${id} ${name}`, name]),
  );
  expect(unmarked.filter((names) => !names.some((name) => name in HARMLESS))).toEqual([]);
  const names = new Set(unmarked.flat());
  expect(Object.keys(HARMLESS).filter((name) => !names.has(name))).toEqual([]);
});

function namesIn(value: unknown, seen = new Set<unknown>()): Set<string> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return new Set();
  seen.add(value);
  const { properties = {} } = value as { properties?: Record<string, unknown> };
  return new Set([...Object.keys(properties), ...Object.values(value).flatMap((each) => [...namesIn(each, seen)])]);
}
