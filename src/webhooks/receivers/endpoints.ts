import { Type } from 'typebox';
import { endpoint } from '../../http/endpoint.ts';
import { ofTeam, TEAM_PATH } from '../../tenancy/places.ts';
import { Cursor, withDefault } from '../../wire/schema.ts';
import { ofWebhook, WEBHOOK_PATH } from '../places.ts';
import { createWebhook } from './create.ts';
import { deleteWebhook } from './delete.ts';
import { findWebhook } from './find.ts';
import { findHeaders, putHeaders } from './headers.ts';
import { listWebhooks } from './list.ts';
import { patchWebhook } from './patch.ts';
import {
  KEPT_HOURS,
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

export const receiverEndpoints = [
  endpoint({
    id: 'list_webhooks',
    method: 'GET',
    path: collection,
    tag,
    auth,
    scope: 'team',
    params: ofTeam,
    response: WebhookPage,
    summary: 'List webhook endpoints',
    description: 'In the order they were made.',
    query: Type.Object({
      next_cursor: Type.Optional(Cursor()),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 250 }), 50),
    }),
    refusals: ['invalid_cursor'],
    handle: async (ctx, { query: { next_cursor = null, limit } }) => listWebhooks(ctx, { next_cursor, limit }),
  }),
  endpoint({
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
      'It receives what happens from now on, signed as Standard Webhooks with the secret that GET …/secret reads. ' +
      'In production the url must be https. What the url itself shows (another scheme, credentials, a forbidden port, a ' +
      'private address) is 422 webhook_url_refused; a name that leads to a private address is 400 webhook_address_refused.',
    refusals: ['limit_reached', 'webhook_url_refused', 'webhook_address_refused'],
    handle: async (ctx, { body }) => createWebhook(ctx, body),
  }),
  endpoint({
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
  endpoint({
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
      'Keys that are left out stay as they are; null clears description, rate_limit and filter_types. ' +
      'Enabling an endpoint again (disabled: false) sends what was queued for it meanwhile. With another url, failures at the ' +
      'one before do not count any more.',
    refusals: ['not_found', 'webhook_url_refused', 'webhook_address_refused'],
    handle: async (ctx, { params, body }) => patchWebhook(ctx, params.webhook_id, body),
  }),
  endpoint({
    id: 'delete_webhook',
    method: 'DELETE',
    path: WEBHOOK_PATH,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    summary: 'Delete a webhook endpoint',
    description: 'What is still queued for it is not sent.',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => deleteWebhook(ctx, params.webhook_id),
  }),
  endpoint({
    id: 'get_webhook_headers',
    method: 'GET',
    path: `${WEBHOOK_PATH}/headers`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    response: WebhookHeaders,
    summary: 'Read the headers added to each delivery',
    description: 'Headers whose names speak of keys, tokens and the like are write-only: `sensitive` names them.',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => findHeaders(ctx, params.webhook_id),
  }),
  endpoint({
    id: 'put_webhook_headers',
    method: 'PUT',
    path: `${WEBHOOK_PATH}/headers`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    body: WebhookHeadersInput,
    summary: 'Set the headers added to each delivery',
    description: 'Replaces all headers that were set before: send the sensitive ones again too.',
    refusals: ['not_found', 'webhook_headers_refused'],
    handle: async (ctx, { params, body }) => putHeaders(ctx, params.webhook_id, body.headers),
  }),
  endpoint({
    id: 'get_webhook_secret',
    method: 'GET',
    path: `${WEBHOOK_PATH}/secret`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    response: WebhookSecret,
    secretAnswer: true,
    summary: 'Read the signing secret',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => ({
      key: await findSecret(ctx, params.webhook_id),
    }),
  }),
  endpoint({
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
      'The secret before keeps signing beside the new one for 24 hours, or as long as `keep_old_hours` says. ' +
      'Without key, a secret is made.',
    refusals: ['not_found', 'too_many_secrets'],
    handle: async (ctx, { params, body }) =>
      rotateSecret(ctx, params.webhook_id, {
        key: body?.key ?? null,
        keepOldHours: body?.keep_old_hours ?? KEPT_HOURS,
      }),
  }),
  endpoint({
    id: 'get_webhook_public_key',
    method: 'GET',
    path: `${WEBHOOK_PATH}/public_key`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    response: WebhookPublicKey,
    summary: 'Read the public key of the signatures',
    description: 'What `v1a` signatures are verified with, where the endpoint asks for them (`v1a_enabled`).',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => ({ public_key: await findPublicKeyOrNull(ctx, params.webhook_id) }),
  }),
  endpoint({
    id: 'rotate_webhook_public_key',
    method: 'POST',
    path: `${WEBHOOK_PATH}/public_key/rotate`,
    tag,
    auth,
    scope: 'team',
    params: ofWebhook,
    body: PublicKeyRotation,
    summary: 'Rotate the key pair of the signatures',
    description: 'A new key pair is made. The one before keeps signing beside it, as after a rotation of the secret.',
    refusals: ['not_found', 'too_many_secrets'],
    handle: async (ctx, { params, body }) =>
      rotateKeyPair(ctx, params.webhook_id, { keepOldHours: body?.keep_old_hours ?? KEPT_HOURS }),
  }),
];
