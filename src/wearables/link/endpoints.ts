import { Type } from 'typebox';
import { deprecatedField, endpoint, type Endpoint } from '../../http/endpoint.ts';
import { orAccepted } from '../../http/media.ts';
import { SignInToken } from '../../users/schemas.ts';
import { Cursor, Timestamp, Uuid, WordFilter, withDefault } from '../../wire/schema.ts';
import { bulkExport } from './bulk/export.ts';
import { bulkImport } from './bulk/import.ts';
import { bulkPause } from './bulk/pause.ts';
import { bulkTrigger } from './bulk/trigger-pull.ts';
import { createLinkCode } from './create-code.ts';
import { createLinkToken } from './create-token.ts';
import { exchangeLinkCode } from './exchange-code.ts';
import { listBulkOps } from './bulk/list.ts';
import { oauthEndpoints } from './oauth/endpoints.ts';
import { demoEndpoints } from './demo/endpoints.ts';
import { pageEndpoints } from './page/endpoints.ts';
import { completeByCode, connectByEmail, connectByPassword } from './forms.ts';
import {
  BulkExport,
  BulkExportInput,
  BulkImport,
  BulkImportInput,
  BulkOpPage,
  BulkPause,
  BulkPauseInput,
  BulkTrigger,
  BulkTriggerInput,
  EmailInput,
  LinkCode,
  LinkResult,
  LinkToken,
  LinkTokenInput,
  MfaInput,
  PasswordInput,
  Source,
  SourceLink,
} from './schemas.ts';
import { findOauthSource, listLinkProviders } from './sources.ts';

const tag = 'link';
const params = Type.Object({ provider: WordFilter() });
const FORM_REFUSALS = ['not_found', 'connector_not_available', 'provider_not_connectable'] as const;

export const linkEndpoints: Endpoint[] = [
  endpoint({
    id: 'create_link_token',
    method: 'POST',
    path: '/v2/link/token',
    tag,
    body: LinkTokenInput,
    response: LinkToken,
    secretAnswer: true,
    summary: "Make a link token for a user's browser",
    description:
      'For an hour it lets that user connect one provider, once. Send the browser to link_web_url, or offer what ' +
      'GET /v2/link/providers lists on a page of your own.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'redirect_url_refused', 'provider_not_connectable'],
    handle: (ctx, { body }) => createLinkToken(ctx, body),
  }),
  endpoint({
    id: 'create_link_code',
    method: 'POST',
    path: '/v2/link/code/create',
    tag,
    query: Type.Object({
      user_id: Uuid,
      expires_at: Type.Optional(
        Type.Unsafe<string>({ ...Timestamp, description: 'Until when it is good; left out: half an hour.' }),
      ),
    }),
    response: LinkCode,
    secretAnswer: true,
    summary: "Make a code for a user's phone",
    description: 'The phone changes it, once, for a token of the user by POST /v2/link/code/exchange.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'link_expiry_refused'],
    handle: (ctx, { query: { user_id, expires_at = null } }) => createLinkCode(ctx, { user_id, expires_at }),
  }),
  endpoint({
    id: 'exchange_link_code',
    method: 'POST',
    path: '/v2/link/code/exchange',
    tag,
    auth: 'none',
    query: Type.Object({ code: Type.String({ minLength: 1, maxLength: 100, description: 'A link code.' }) }),
    response: SignInToken,
    secretAnswer: true,
    summary: 'Change a link code for a token of its user',
    description: 'Once. The token is one of POST /v2/user/{user_id}/sign_in_token.',
    refusals: ['link_code_invalid', 'not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { query: { code } }) => exchangeLinkCode(ctx, code),
  }),
  endpoint({
    id: 'list_link_providers',
    method: 'GET',
    path: '/v2/link/providers',
    tag,
    auth: 'link_token',
    response: Type.Array(SourceLink),
    secretAnswer: true,
    summary: 'List what the user of a link token can connect',
    description:
      'Providers that the team, or else this deployment, has an application at, without those that the token leaves out. In the ' +
      'sandbox all others too, as demos: those connect invented data.',
    handle: (ctx) => listLinkProviders(ctx),
  }),
  endpoint({
    id: 'get_oauth_source',
    method: 'GET',
    path: '/v2/link/provider/oauth/{oauth_provider}',
    tag,
    auth: 'link_token',
    params: Type.Object({ oauth_provider: WordFilter() }),
    response: Source,
    secretAnswer: true,
    summary: 'Begin a connection at the page of a provider',
    description: "oauth_url is what the user's browser opens. It is good as long as the link token.",
    refusals: ['not_found', 'provider_not_connectable'],
    handle: (ctx, { params: { oauth_provider } }) => findOauthSource(ctx, oauth_provider),
  }),
  endpoint({
    id: 'connect_by_password',
    method: 'POST',
    path: '/v2/link/provider/password/{provider}',
    tag,
    auth: 'link_token',
    params,
    body: PasswordInput,
    response: LinkResult,
    summary: 'Connect a provider by a password',
    description:
      'In the sandbox, which plays the providers: the password sandbox connects invented data, sandbox-mfa asks for a code, ' +
      'sandbox-expired, sandbox-unavailable and sandbox-region fail as they say, any other is refused. In production every ' +
      'provider is refused. What was sent is not kept.',
    refusals: FORM_REFUSALS,
    handle: (ctx, { params: { provider }, body }) => connectByPassword(ctx, provider, body),
  }),
  endpoint({
    id: 'complete_password_mfa',
    method: 'POST',
    path: '/v2/link/provider/password/{provider}/complete_mfa',
    tag,
    auth: 'link_token',
    params,
    body: MfaInput,
    response: LinkResult,
    summary: 'Complete a connection by a password with a second factor',
    description:
      'After pending_provider_mfa. In the sandbox 123456 is right; after three wrong codes the password is asked for again.',
    refusals: FORM_REFUSALS,
    handle: (ctx, { params: { provider }, body }) => completeByCode(ctx, provider, body),
  }),
  endpoint({
    id: 'connect_by_email',
    method: 'POST',
    path: '/v2/link/provider/email/{provider}',
    tag,
    auth: 'link_token',
    params,
    body: EmailInput,
    deprecatedFields: { provider: deprecatedField },
    response: LinkResult,
    summary: 'Connect a provider by an e-mail address',
    description:
      'In the sandbox success@example.com connects invented data, unavailable@example.com and region@example.com fail as they ' +
      'say, any other is refused. In production every provider is refused. What was sent is not kept.',
    refusals: FORM_REFUSALS,
    handle: (ctx, { params: { provider }, body }) => connectByEmail(ctx, provider, body),
  }),
  endpoint({
    id: 'bulk_import_connections',
    method: 'POST',
    path: '/v2/link/bulk_import',
    tag,
    body: BulkImportInput,
    response: orAccepted(BulkImport),
    summary: 'Connect many users by tokens that they gave elsewhere',
    description:
      'A connection that a user has already is taken over. Each new one is told of by provider.connection.created. ' +
      'GET /v2/link/bulk_op tells of it afterwards.',
    handle: async (ctx, { body }) => {
      const imported = await bulkImport(ctx, body);
      return body.wait_for_completion ? imported : null;
    },
  }),
  endpoint({
    id: 'bulk_trigger_historical_pull',
    method: 'POST',
    path: '/v2/link/bulk_trigger_historical_pull',
    tag,
    body: BulkTriggerInput,
    response: orAccepted(BulkTrigger),
    summary: "Pull the past of many users' connections again",
    description:
      'As when each was connected. What is stored already is told of only where it differs; historical.data events tell when ' +
      'a resource is done. GET /v2/introspect/historical_pull tells how far each is.',
    handle: async (ctx, { body }) => {
      const triggered = await bulkTrigger(ctx, body);
      return body.wait_for_completion ? triggered : null;
    },
  }),
  endpoint({
    id: 'bulk_export_connections',
    method: 'POST',
    path: '/v2/link/bulk_export',
    tag,
    body: BulkExportInput,
    response: BulkExport,
    secretAnswer: true,
    summary: 'Read connections with their tokens, to take them elsewhere',
    description: 'In the order of users, 100 at a time. Without user_ids: all users of the team.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { body: { provider, user_ids = null, next_token = null } }) =>
      bulkExport(ctx, { provider, user_ids, next_token }),
  }),
  endpoint({
    id: 'bulk_pause_connections',
    method: 'POST',
    path: '/v2/link/bulk_pause',
    tag,
    body: BulkPauseInput,
    response: BulkPause,
    summary: 'Pause the connections of many users to a provider',
    description: 'A paused connection brings nothing until the user connects again.',
    handle: (ctx, { body }) => bulkPause(ctx, body),
  }),
  endpoint({
    id: 'list_bulk_ops',
    method: 'GET',
    path: '/v2/link/bulk_op',
    tag,
    query: Type.Object({
      next_cursor: Type.Optional(Cursor()),
      page_size: withDefault(Type.Integer({ minimum: 1, maximum: 50, description: 'Most entries of a page.' }), 10),
    }),
    response: BulkOpPage,
    summary: 'List what was done to many connections at once',
    description: 'Newest first, of the last 30 days.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query: { next_cursor = null, page_size } }) => listBulkOps(ctx, { next_cursor, page_size }),
  }),
  ...oauthEndpoints,
  ...demoEndpoints,
  ...pageEndpoints,
];
