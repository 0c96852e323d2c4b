// Parts of the OpenAPI document that all operations share: the shapes of errors, the headers and the security schemes.
import { AUTH_KINDS } from '../auth/kinds.ts';
import { ORIGIN_HEADER, ORIGINS } from '../../events/origin.ts';
import { IDEMPOTENCY_HOURS, SECRET_MINUTES } from '../response/idempotency.ts';
import type { Json } from './schemas.ts';

export const ERROR_SCHEMAS: Record<string, Json> = {
  Error: {
    type: 'object',
    required: ['detail', 'code', 'request_id'],
    properties: {
      detail: {
        type: ['string', 'object', 'array'],
        items: { $ref: '#/components/schemas/Problem' },
        description:
          'A text for a person, or an object if the interface defines one, such as the user that already ' +
          'exists. In a 422 it is the list of problems of InvalidRequest, and in `pre_flight_failed` a list ' +
          'of the same form.',
      },
      code: { type: 'string', description: 'For programs. A code never changes its meaning.' },
      request_id: {
        type: 'string',
        format: 'uuid',
        description: 'The id of the request in the log. Equals the header X-Request-Id.',
      },
    },
  },
  InvalidRequest: {
    type: 'object',
    required: ['detail', 'code', 'request_id'],
    properties: {
      detail: {
        type: 'array',
        items: { $ref: '#/components/schemas/Problem' },
        description: 'Every problem of the request.',
      },
      code: { type: 'string', description: 'For programs: `validation_failed`.' },
      request_id: { type: 'string', format: 'uuid', description: 'The id of the request in the log.' },
    },
  },
  Problem: {
    type: 'object',
    required: ['type', 'loc', 'msg'],
    properties: {
      type: {
        type: 'string',
        examples: ['missing', 'string_type', 'uuid_parsing'],
        description: 'The kind of the problem, for programs.',
      },
      loc: {
        type: 'array',
        items: { type: ['string', 'integer'] },
        examples: [['body', 'insured', 'dob']],
        description: 'The path of the problem: path, query, header or body, then the names and positions in it.',
      },
      msg: { type: 'string', description: 'The problem, for a person.' },
      input: {
        type: ['string', 'number', 'boolean', 'object', 'array', 'null'],
        items: {},
        description: 'The value that was sent. Absent if it could be personal data or a secret.',
      },
    },
  },
};

const header = (name: string, description: string, schema: Json, required = false): Json => ({
  name,
  in: 'header',
  description,
  ...(required ? { required } : {}),
  schema,
});

export const PARAMETERS = {
  ServiceOrgKey: {
    ...header('X-Service-Org-Key', 'A management key. X-Management-Key replaces this header.', { type: 'string' }),
    deprecated: true,
  },
  IdempotencyKey: header(
    'X-Idempotency-Key',
    `Makes retries safe. For ${IDEMPOTENCY_HOURS} hours, the same key with the same request returns the ` +
      'first response and does nothing again. With another request it is a 409 idempotency_mismatch. A response ' +
      `that shows a secret is returned for ${SECRET_MINUTES} minutes. After that it is a 409 ` +
      'idempotency_answer_ended.',
    { type: 'string', maxLength: 255 },
  ),
  IdempotencyError: header(
    'X-Idempotency-Error',
    'With no-cache only successes are stored for the key. A request that was refused with a 400 can be ' +
      'retried with the same key.',
    { type: 'string', enum: ['no-cache'] },
  ),
  WebhookId: header(
    'webhook-id',
    'The id of the event, the same in every attempt. Also sent as svix-id.',
    { type: 'string', format: 'uuid' },
    true,
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'The time of this attempt in seconds since 1970. Also sent as svix-timestamp.',
    { type: 'string', pattern: '^\\d+$' },
    true,
  ),
  WebhookSignature: header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with ' +
      "the endpoint's secret. The key of the HMAC is the text after `whsec_` of the secret, decoded from base64. " +
      'With `v1a_enabled` also `v1a,` and the base64 Ed25519 signature of the same text ' +
      "with the endpoint's key pair. During a rotation there is one signature for each secret and key pair " +
      'that still signs, at most 5 `v1` and 3 `v1a`, separated by spaces. Verify any one of them. Also sent as ' +
      'svix-signature.',
    { type: 'string' },
    true,
  ),
  Origin: header(
    ORIGIN_HEADER,
    'How the data of this event arrived. Equals `origin` of the body, which is signed.',
    { type: 'string', enum: [...ORIGINS] },
    true,
  ),
} satisfies Record<string, Json>;

export const SECURITY_SCHEMES: Record<string, Json> = Object.fromEntries(
  Object.values(AUTH_KINDS).flatMap(({ securitySchemes }) => Object.entries(securitySchemes)),
);
