import { Type } from 'typebox';
import { Email } from '../../wire/person.ts';
import { Cursor, nullable, oneOf, optional, Text, Timestamp, Uuid } from '../../wire/schema.ts';
import { PROVIDER_SLUGS, PROVIDERS } from '../providers/provider-catalogue.ts';
import type { ProviderFacts } from '../providers/facts.ts';
import { shape } from '../../wire/shape.ts';

const MAX_RECIPES = 300;
const MAX_USERS = 500;
const LONGEST_TOKEN = 4096;
/** The last second of the year 9999, in seconds since 1970. */
const LATEST = 253_402_300_799;

/** The providers that users connect at the provider's own page. */
const OAUTH_SLUGS = Object.entries<ProviderFacts>(PROVIDERS)
  .filter(([, { auth_type }]) => auth_type === 'oauth')
  .map(([slug]) => slug) as (keyof typeof PROVIDERS)[];
const OauthProvider = oneOf(OAUTH_SLUGS, { description: 'A provider that is connected at a page of its own.' });

const Token = (description: string): ReturnType<typeof Text> => Text(LONGEST_TOKEN, { description });
const recipe = {
  user_id: Uuid,
  access_token: Token('Gives access to the account at the provider until expires_at.'),
  refresh_token: Token('Gets the next access token.'),
  provider_id: Text(256, { description: "The provider's own id of the user." }),
  expires_at: Type.Integer({
    minimum: 0,
    maximum: LATEST,
    description: 'When the access token ends, in seconds since 1970.',
  }),
};
const SCOPES = 'Scopes that the user has granted. null: not known; then every scope counts as granted.';

const ConnectionRecipeInput = shape('ConnectionRecipeInput', {
  ...recipe,
  oauth_scopes: optional(Type.Array(Text(300), { maxItems: 20, description: SCOPES })),
});
const ConnectionRecipe = shape('ConnectionRecipe', {
  ...recipe,
  oauth_scopes: nullable(Type.Array(Type.String(), { description: SCOPES })),
});

export const BulkImportInput = shape('BulkImportInput', {
  provider: OauthProvider,
  connections: Type.Array(ConnectionRecipeInput, { minItems: 1, maxItems: MAX_RECIPES }),
  wait_for_completion: Type.Optional(
    Type.Boolean({ default: false, description: 'true: the response lists every user. false: 202 without a body.' }),
  ),
});
export const BulkImport = shape('BulkImport', {
  user_ids_imported: Type.Array(Uuid, { description: 'Users that are connected now.' }),
  user_ids_failed: Type.Array(Uuid, { description: 'Users that the team does not have.' }),
});

const Users = Type.Array(Uuid, { minItems: 1, maxItems: MAX_USERS, description: 'Ids of users.' });
export const BulkPauseInput = shape('BulkPauseInput', { provider: OauthProvider, user_ids: Users });
export const BulkPause = shape('BulkPause', {
  user_ids_paused: Type.Array(Uuid, { description: 'Users whose connection is paused now.' }),
  user_ids_failed: Type.Array(Uuid, {
    description: 'Users that the team does not have, and those without a connection to pause.',
  }),
});

export const BulkTriggerInput = shape('BulkTriggerInput', {
  provider: OauthProvider,
  user_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100, description: 'Ids of users.' }),
  wait_for_completion: Type.Optional(
    Type.Boolean({ default: false, description: 'true: the response lists every user. false: 202 without a body.' }),
  ),
});
export const BulkTrigger = shape('BulkTrigger', {
  user_ids_triggered: Type.Array(Uuid, { description: 'Users whose past is being pulled.' }),
  user_ids_failed: Type.Array(Uuid, {
    description: 'Users that the team does not have, and those without a connection that is pulled.',
  }),
});

export const BulkExportInput = shape('BulkExportInput', {
  provider: OauthProvider,
  user_ids: optional(Users),
  next_token: optional(Cursor({ description: 'next_token of the last response.' })),
});
export const BulkExport = shape('BulkExport', {
  data: Type.Array(ConnectionRecipe),
  next_token: nullable(Type.String({ description: 'Cursor of the next response; null on the last.' })),
});

export const BulkOp = shape('BulkOp', {
  type: oneOf(['link_bulk_import', 'link_bulk_historical_trigger'], { description: 'The kind of bulk operation.' }),
  status: oneOf(['in_progress', 'success', 'failure', 'aborted'], { description: 'The state of the operation.' }),
  provider: Type.String({ description: 'Slug of the provider.' }),
  pending: Type.Integer({ description: 'Users that are not processed yet.' }),
  processed: Type.Integer({ description: 'Users that are processed.' }),
  started_at: Timestamp,
  ended_at: nullable(Timestamp),
});
export const BulkOpPage = shape('BulkOpPage', { data: Type.Array(BulkOp), next_cursor: nullable(Type.String()) });

const AnyProvider = oneOf(PROVIDER_SLUGS, { description: 'Slug of a provider.' });
const Redirect = oneOf(['redirect'], {
  description: 'redirect: the browser goes to redirect_url. null: a page of ours shows it.',
});

export const LinkTokenInput = shape('LinkTokenInput', {
  user_id: Uuid,
  provider: optional(AnyProvider),
  redirect_url: optional(
    Type.String({
      format: 'page-url',
      maxLength: 2048,
      description:
        'The address that the browser goes to in the end. In a sandbox: any https address or a loopback ' +
        'address. In production: one that the team lists by PUT ' +
        '/v1/org/{org_id}/team/{team_id}/link_redirect_urls.',
    }),
  ),
  filter_on_providers: optional(
    Type.Array(AnyProvider, { minItems: 1, maxItems: 50, description: 'Only these are offered.' }),
  ),
  on_error: optional(Redirect),
  on_close: optional(Redirect),
});
export const LinkToken = shape('LinkToken', {
  link_token: Type.String({ description: 'The whole token; it is never shown again.' }),
  link_web_url: Type.String({ description: 'The page on which the user picks a provider.' }),
});

export const LinkCode = shape('LinkCode', {
  code: Type.String({ pattern: '^(sk|pk)(eu|us)([0-9a-f]{8})', description: 'Works for one exchange.' }),
  exchange_url: Type.String({ description: "The user's phone sends a POST to this address for a token of the user." }),
  expires_at: Timestamp,
});

const source = {
  id: Type.Integer({ description: 'Number of the provider.' }),
  name: Type.String(),
  slug: Type.String({ description: 'Short name that does not change.' }),
  description: Type.String(),
  logo: Type.String(),
  oauth_url: nullable(Type.String({ description: "The address that the user's browser opens to connect it." })),
  auth_type: nullable(Type.String({ description: 'How a user connects it.' })),
  demo: Type.Boolean({ description: 'Whether it connects invented data, because the sandbox simulates the provider.' }),
};
export const SourceLink = shape('SourceLink', {
  ...source,
  form_components: Type.Record(
    Type.String(),
    Type.Object({
      type: Type.String({ description: 'text, email or password.' }),
      label: Type.String({ description: 'The label of the field, for people.' }),
    }),
    { description: 'The fields of the form, by the names to send; empty where there is no form.' },
  ),
});
export const Source = shape('Source', {
  ...source,
  group: nullable(Type.String({ description: 'Always null.' })),
  source_type: nullable(Type.String({ description: 'The kind of source: device or app.' })),
  is_active: nullable(Type.Boolean({ description: 'Whether it can be connected.' })),
  backfill_num_days: nullable(Type.Integer({ description: 'Days of the past that a new connection brings.' })),
});

const Region = Type.String({
  maxLength: 2,
  pattern: '^[a-z]{2}$',
  description: "Region of the user's account, two letters.",
});
export const PasswordInput = shape('PasswordInput', {
  username: Text(256, { description: "The user's name at the provider." }),
  password: Type.String({ minLength: 1, maxLength: 256, description: "The user's password at the provider." }),
  region: optional(Region),
});
export const MfaInput = shape('MfaInput', {
  mfa_code: Text(32, { description: 'The code that the provider has sent to the user.' }),
});
export const EmailInput = shape('EmailInput', {
  email: Email,
  provider: optional(Type.Unsafe<(typeof PROVIDER_SLUGS)[number]>({ ...AnyProvider, deprecated: true })),
  region: Type.Optional(Region),
});

const LINK_ERRORS = [
  'invalid_token',
  'token_expired',
  'token_not_validated',
  'token_consumed',
  'provider_credential_error',
  'provider_password_expired',
  'provider_api_error',
  'unsupported_region',
  'duplicate_connection',
  'required_scopes_not_granted',
  'incorrect_mfa_code',
  'user_cancelled',
] as const;

export const LinkResult = shape('LinkResult', {
  state: oneOf(['success', 'error', 'pending_provider_mfa'], { description: 'The outcome.' }),
  redirect_url: nullable(Type.String({ description: 'The address that the browser goes to now.' })),
  error_type: nullable(oneOf(LINK_ERRORS, { description: 'The kind of error.' })),
  error: nullable(Type.String({ description: 'The error, for people.' })),
  provider_mfa: nullable(
    Type.Object(
      {
        method: oneOf(['sms', 'email'], { description: 'How the provider sends its code.' }),
        hint: Type.String({ description: 'Part of the address that it sends the code to.' }),
      },
      { description: 'The second step that the provider asks for.' },
    ),
  ),
  provider: Type.String({ deprecated: true, description: 'The provider of the path.' }),
  connected: Type.Boolean({ deprecated: true, description: 'Whether `state` is success.' }),
  provider_id: nullable(Type.String({ deprecated: true, description: "The provider's own id of the user." })),
});
