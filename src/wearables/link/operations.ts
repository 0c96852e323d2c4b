import { Type } from 'typebox';
import { deprecatedField, operation, type Operation } from '../../operation/operation.ts';
import { orAccepted } from '../../operation/media.ts';
import { SignInToken } from '../../users/schemas.ts';
import { Cursor, Timestamp, Uuid, WordFilter, withDefault } from '../../wire/schema.ts';
import { bulkExport } from './bulk/bulk-export.ts';
import { bulkImport } from './bulk/import.ts';
import { bulkPause } from './bulk/bulk-pause.ts';
import { bulkTrigger } from './bulk/bulk-trigger.ts';
import { createLinkCode } from './create-code.ts';
import { createLinkToken } from './create-token.ts';
import { exchangeLinkCode } from './exchange-code.ts';
import { listBulkOps } from './bulk/list.ts';
import { oauthOperations } from './oauth/operations.ts';
import { demoOperations } from './demo/operations.ts';
import { pageOperations } from './page/operations.ts';
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

export const linkOperations: Operation[] = [
  operation({
    id: 'create_link_token',
    method: 'POST',
    path: '/v2/link/token',
    tag,
    body: LinkTokenInput,
    response: LinkToken,
    secretResponse: true,
    summary: "Make a link token for a user's browser",
    description:
      'For an hour it lets that user connect one provider, once. Send the browser to link_web_url, or ' +
      'show the providers of GET /v2/link/providers on a page of your own.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'redirect_url_refused', 'provider_not_connectable'],
    handle: (ctx, { body }) => createLinkToken(ctx, body),
  }),
  operation({
    id: 'create_link_code',
    method: 'POST',
    path: '/v2/link/code/create',
    tag,
    query: Type.Object({
      user_id: Uuid,
      expires_at: Type.Optional(
        Type.Unsafe<string>({ ...Timestamp, description: 'When the code ends; left out: after half an hour.' }),
      ),
    }),
    response: LinkCode,
    secretResponse: true,
    summary: "Make a code for a user's phone",
    description: 'The phone exchanges it, once, for a token of the user by POST /v2/link/code/exchange.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'link_expiry_refused'],
    handle: (ctx, { query: { user_id, expires_at = null } }) => createLinkCode(ctx, { user_id, expires_at }),
  }),
  operation({
    id: 'exchange_link_code',
    method: 'POST',
    path: '/v2/link/code/exchange',
    tag,
    auth: 'none',
    query: Type.Object({ code: Type.String({ minLength: 1, maxLength: 100, description: 'A link code.' }) }),
    response: SignInToken,
    secretResponse: true,
    summary: 'Exchange a link code for a token of its user',
    description: 'A code works once. The token is one of POST /v2/user/{user_id}/sign_in_token.',
    refusals: ['link_code_invalid', 'not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { query: { code } }) => exchangeLinkCode(ctx, code),
  }),
  operation({
    id: 'list_link_providers',
    method: 'GET',
    path: '/v2/link/providers',
    tag,
    auth: 'link_token',
    response: Type.Array(SourceLink),
    secretResponse: true,
    summary: 'List the providers that the user of a link token can connect',
    description:
      'Providers where the team, or else this deployment, has an application, without those that the ' +
      'token leaves out. In the sandbox also all others, as demos that connect invented data.',
    handle: (ctx) => listLinkProviders(ctx),
  }),
  operation({
    id: 'get_oauth_source',
    method: 'GET',
    path: '/v2/link/provider/oauth/{oauth_provider}',
    tag,
    auth: 'link_token',
    params: Type.Object({ oauth_provider: WordFilter() }),
    response: Source,
    secretResponse: true,
    summary: 'Begin a connection at the page of a provider',
    description: "The user's browser opens oauth_url. It works as long as the link token.",
    refusals: ['not_found', 'provider_not_connectable'],
    handle: (ctx, { params: { oauth_provider } }) => findOauthSource(ctx, oauth_provider),
  }),
  operation({
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
      'In the sandbox, which simulates the providers, the password sandbox connects invented data, ' +
      'sandbox-mfa asks for a code, sandbox-expired, sandbox-unavailable and sandbox-region fail as ' +
      'they say, and any other is refused. In production every provider is refused. What was sent is ' +
      'not stored.',
    refusals: FORM_REFUSALS,
    handle: (ctx, { params: { provider }, body }) => connectByPassword(ctx, provider, body),
  }),
  operation({
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
      'After pending_provider_mfa. In the sandbox the right code is 123456; after three wrong codes ' +
      'the user has to enter the password again.',
    refusals: FORM_REFUSALS,
    handle: (ctx, { params: { provider }, body }) => completeByCode(ctx, provider, body),
  }),
  operation({
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
      'In the sandbox success@example.com connects invented data, unavailable@example.com and ' +
      'region@example.com fail as they say, and any other is refused. In production every provider is ' +
      'refused. What was sent is not stored.',
    refusals: FORM_REFUSALS,
    handle: (ctx, { params: { provider }, body }) => connectByEmail(ctx, provider, body),
  }),
  operation({
    id: 'bulk_import_connections',
    method: 'POST',
    path: '/v2/link/bulk_import',
    tag,
    body: BulkImportInput,
    response: orAccepted(BulkImport),
    summary: 'Connect many users with tokens that they granted elsewhere',
    description:
      'An existing connection of a user is taken over. Each new one is published as ' +
      'provider.connection.created. GET /v2/link/bulk_op lists the import afterwards.',
    handle: async (ctx, { body }) => {
      const imported = await bulkImport(ctx, body);
      return body.wait_for_completion ? imported : null;
    },
  }),
  operation({
    id: 'bulk_trigger_historical_pull',
    method: 'POST',
    path: '/v2/link/bulk_trigger_historical_pull',
    tag,
    body: BulkTriggerInput,
    response: orAccepted(BulkTrigger),
    summary: "Pull the past of many users' connections again",
    description:
      'Each pull covers the same time as when the user connected. Events are published only where data ' +
      'differs from the stored data; historical.data events say when a resource is done. GET ' +
      '/v2/introspect/historical_pull shows the progress.',
    handle: async (ctx, { body }) => {
      const triggered = await bulkTrigger(ctx, body);
      return body.wait_for_completion ? triggered : null;
    },
  }),
  operation({
    id: 'bulk_export_connections',
    method: 'POST',
    path: '/v2/link/bulk_export',
    tag,
    body: BulkExportInput,
    response: BulkExport,
    secretResponse: true,
    summary: 'Read connections with their tokens, to take them elsewhere',
    description: 'Sorted by user, 100 in each response. Without user_ids: all users of the team.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { body: { provider, user_ids = null, next_token = null } }) =>
      bulkExport(ctx, { provider, user_ids, next_token }),
  }),
  operation({
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
  operation({
    id: 'list_bulk_ops',
    method: 'GET',
    path: '/v2/link/bulk_op',
    tag,
    query: Type.Object({
      next_cursor: Type.Optional(Cursor()),
      page_size: withDefault(Type.Integer({ minimum: 1, maximum: 50, description: 'The most entries of a page.' }), 10),
    }),
    response: BulkOpPage,
    summary: 'List bulk operations on connections',
    description: 'Newest first, of the last 30 days.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query: { next_cursor = null, page_size } }) => listBulkOps(ctx, { next_cursor, page_size }),
  }),
  ...oauthOperations,
  ...demoOperations,
  ...pageOperations,
];
