import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { ofTeam, TEAM_PATH } from '../../tenancy/team-paths.ts';
import { Cursor, withDefault } from '../../wire/schema.ts';
import { ofWebhook, WEBHOOK_PATH } from '../webhook-path.ts';
import { createWebhook } from './create.ts';
import { deleteWebhook } from './delete.ts';
import { findWebhook } from './find.ts';
import { findHeaders, putHeaders } from './endpoint-headers.ts';
import { listWebhooks } from './list.ts';
import { patchWebhook } from './patch.ts';
import {
  DEFAULT_OVERLAP_HOURS,
  PublicKeyRotation,
  SecretRotation,
  Webhook,
  WebhookHeaders,
  WebhookHeadersInput,
  WebhookInput,
  WebhookPage,
  WebhookPatch,
  WebhookPublicKey,
  WebhookSecret,
} from './schemas.ts';
import { findPublicKeyOrNull, findSecret, rotateKeyPair, rotateSecret } from './secret.ts';

const tag = 'webhooks';
const auth = 'management_key';
const collection = `${TEAM_PATH}/webhook`;

export const endpointOperations = [
  operation({
    id: 'list_webhooks',
    method: 'GET',
    path: collection,
    tag,
    auth,
    scope: 'team',
    params: ofTeam,
    response: WebhookPage,
    summary: 'List webhook endpoints',
    description: 'In the order in which they were created.',
    query: Type.Object({
      next_cursor: Type.Optional(Cursor()),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 250 }), 50),
    }),
    refusals: ['invalid_cursor'],
    handle: async (ctx, { query: { next_cursor = null, limit } }) => listWebhooks(ctx, { next_cursor, limit }),
  }),
  operation({
    id: 'create_webhook',
    method: 'POST',
    path: collection,
    tag,
    auth,
    scope: 'team',
    params: ofTeam,
    body: WebhookInput,
    response: Webhook,
    summary: 'Create a webhook endpoint',
    description:
      'The endpoint receives the events from now on, signed as Standard Webhooks with the secret of GET ' +
      '…/secret. In production the url must be https. A url with another scheme, credentials, a forbidden port ' +
      'or a private address is 422 webhook_url_refused. A name that leads to a private address is 400 ' +
      'webhook_address_refused.',
    refusals: ['limit_reached', 'webhook_url_refused', 'webhook_address_refused'],
    handle: async (ctx, { body }) => createWebhook(ctx, body),
  }),
  operation({
    id: 'get_webhook',
    method: 'GET',
    path: WEBHOOK_PATH,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    response: Webhook,
    summary: 'Read a webhook endpoint',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => findWebhook(ctx, params.webhook_id),
  }),
  operation({
    id: 'patch_webhook',
    method: 'PATCH',
    path: WEBHOOK_PATH,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    body: WebhookPatch,
    response: Webhook,
    summary: 'Change a webhook endpoint',
    description:
      'Keys that are left out stay as they are. Null clears description, rate_limit and filter_types. Enabling ' +
      'an endpoint again (disabled: false) sends the deliveries that were queued meanwhile. After a change of ' +
      'the url, failures at the former url do not count.',
    refusals: ['not_found', 'webhook_url_refused', 'webhook_address_refused'],
    handle: async (ctx, { params, body }) => patchWebhook(ctx, params.webhook_id, body),
  }),
  operation({
    id: 'delete_webhook',
    method: 'DELETE',
    path: WEBHOOK_PATH,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    summary: 'Delete a webhook endpoint',
    description: 'Its queued deliveries are not sent.',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => deleteWebhook(ctx, params.webhook_id),
  }),
  operation({
    id: 'get_webhook_headers',
    method: 'GET',
    path: `${WEBHOOK_PATH}/headers`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    response: WebhookHeaders,
    summary: 'Read the headers added to each delivery',
    description: 'Headers whose names suggest keys, tokens and the like are write-only: `sensitive` lists their names.',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => findHeaders(ctx, params.webhook_id),
  }),
  operation({
    id: 'put_webhook_headers',
    method: 'PUT',
    path: `${WEBHOOK_PATH}/headers`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    body: WebhookHeadersInput,
    summary: 'Set the headers added to each delivery',
    description: 'Replaces all headers. Send the sensitive ones again too.',
    refusals: ['not_found', 'webhook_headers_refused'],
    handle: async (ctx, { params, body }) => putHeaders(ctx, params.webhook_id, body.headers),
  }),
  operation({
    id: 'get_webhook_secret',
    method: 'GET',
    path: `${WEBHOOK_PATH}/secret`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    response: WebhookSecret,
    secretResponse: true,
    summary: 'Read the signing secret',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => ({
      key: await findSecret(ctx, params.webhook_id),
    }),
  }),
  operation({
    id: 'rotate_webhook_secret',
    method: 'POST',
    path: `${WEBHOOK_PATH}/secret/rotate`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    body: SecretRotation,
    summary: 'Rotate the signing secret',
    description:
      'The former secret keeps signing beside the new one for 24 hours, or for `keep_old_hours`. Without key, ' +
      'we make a secret.',
    refusals: ['not_found', 'too_many_secrets'],
    handle: async (ctx, { params, body }) =>
      rotateSecret(ctx, params.webhook_id, {
        key: body?.key ?? null,
        overlapHours: body?.keep_old_hours ?? DEFAULT_OVERLAP_HOURS,
      }),
  }),
  operation({
    id: 'get_webhook_public_key',
    method: 'GET',
    path: `${WEBHOOK_PATH}/public_key`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    response: WebhookPublicKey,
    summary: 'Read the public key of the signatures',
    description: 'The key with which `v1a` signatures are verified, when the endpoint asks for them (`v1a_enabled`).',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => ({ public_key: await findPublicKeyOrNull(ctx, params.webhook_id) }),
  }),
  operation({
    id: 'rotate_webhook_public_key',
    method: 'POST',
    path: `${WEBHOOK_PATH}/public_key/rotate`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    body: PublicKeyRotation,
    summary: 'Rotate the key pair of the signatures',
    description: 'Makes a new key pair. The former one keeps signing beside it, as after a rotation of the secret.',
    refusals: ['not_found', 'too_many_secrets'],
    handle: async (ctx, { params, body }) =>
      rotateKeyPair(ctx, params.webhook_id, { overlapHours: body?.keep_old_hours ?? DEFAULT_OVERLAP_HOURS }),
  }),
];
