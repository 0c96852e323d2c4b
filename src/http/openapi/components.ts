// What every operation's documentation shares: the error shapes, the headers, the keys.
import { AUTH_KINDS } from '../auth/kinds.ts';
import { ORIGIN_HEADER, ORIGINS } from '../../events/origin.ts';
import { IDEMPOTENCY_HOURS, SECRET_MINUTES } from '../answer/idempotency.ts';
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
          'A text for a person, or an object where the interface names one, such as the user that exists already. ' +
          'Of a 422 it is the list of problems of InvalidRequest, and of `pre_flight_failed` a list of the same form.',
      },
      code: { type: 'string', description: 'For a program: a code never changes its meaning.' },
      request_id: {
        type: 'string',
        format: 'uuid',
        description: 'Finds the request in the log. The same as the header X-Request-Id.',
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
      code: { type: 'string', description: 'For a program: `validation_failed`.' },
      request_id: { type: 'string', format: 'uuid', description: 'Finds the request in the log.' },
    },
  },
  Problem: {
    type: 'object',
    required: ['type', 'loc', 'msg'],
    properties: {
      type: {
        type: 'string',
        examples: ['missing', 'string_type', 'uuid_parsing'],
        description: 'What is wrong, for a program.',
      },
      loc: {
        type: 'array',
        items: { type: ['string', 'integer'] },
        examples: [['body', 'insured', 'dob']],
        description: 'The place: path, query, header or body, then the way into it.',
      },
      msg: { type: 'string', description: 'What is wrong, for a person.' },
      input: {
        type: ['string', 'number', 'boolean', 'object', 'array', 'null'],
        items: {},
        description: 'What was sent. Left out where it could be personal data or a secret.',
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
    ...header('X-Service-Org-Key', 'A management key. X-Management-Key has replaced it.', { type: 'string' }),
    deprecated: true,
  },
  IdempotencyKey: header(
    'X-Idempotency-Key',
    `Makes a repetition safe: for ${IDEMPOTENCY_HOURS} hours the same key with the same request answers what the first one did, ` +
      'and does nothing again. With another request it is 409 idempotency_mismatch. An answer that shows a secret is repeated for ' +
      `${SECRET_MINUTES} minutes, and is 409 idempotency_answer_ended after them.`,
    { type: 'string', maxLength: 255 },
  ),
  IdempotencyError: header(
    'X-Idempotency-Error',
    'With no-cache only successes are kept under the key: a request that was refused with 400 can be repeated with it.',
    { type: 'string', enum: ['no-cache'] },
  ),
  WebhookId: header(
    'webhook-id',
    'Id of the event, the same at every attempt. Also sent as svix-id.',
    { type: 'string', format: 'uuid' },
    true,
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'Time of this attempt in seconds since 1970. Also sent as svix-timestamp.',
    { type: 'string', pattern: '^\\d+$' },
    true,
  ),
  WebhookSignature: header(
    'webhook-signature',
    "Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the endpoint's secret; " +
      'with `v1a_enabled` also `v1a,` and the base64 Ed25519 signature of the same text, by its key pair. While secrets or key pairs are ' +
      'being rotated there is one of each that still signs, at most 5 `v1` and 3 `v1a`, with spaces between: verify any of them. Also sent ' +
      'as svix-signature.',
    { type: 'string' },
    true,
  ),
  Origin: header(
    ORIGIN_HEADER,
    'How the data came that it tells of, as `origin` of the body says, which is signed.',
    { type: 'string', enum: [...ORIGINS] },
    true,
  ),
} satisfies Record<string, Json>;

export const SECURITY_SCHEMES: Record<string, Json> = Object.fromEntries(
  Object.values(AUTH_KINDS).flatMap(({ securitySchemes }) => Object.entries(securitySchemes)),
);
