// What every operation's documentation shares: the error shapes, the headers, the keys.
import { teamKeyHeaders } from '../auth/authenticate.ts';
import { codesOf } from '../answer/errors.ts';
import { IDEMPOTENCY_HOURS } from '../answer/idempotency.ts';
import type { Json } from './schemas.ts';

export const ERROR_SCHEMAS: Record<string, Json> = {
  Error: {
    type: 'object',
    required: ['detail', 'code', 'request_id'],
    properties: {
      detail: { anyOf: [{ type: 'string' }, { type: 'object' }], description: 'For a person.' },
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
      code: { type: 'string' },
      request_id: { type: 'string', format: 'uuid' },
    },
  },
  Problem: {
    type: 'object',
    required: ['type', 'loc', 'msg'],
    properties: {
      type: { type: 'string', examples: ['missing', 'string_type', 'uuid_parsing'] },
      loc: {
        type: 'array',
        items: { type: ['string', 'integer'] },
        examples: [['body', 'insured', 'dob']],
        description: 'The place: path, query, header or body, then the way into it.',
      },
      msg: { type: 'string' },
      input: { description: 'What was sent. Left out where it could be personal data or a secret.' },
    },
  },
};

const refusal = (status: number, text: string, schema = 'Error'): Json => ({
  description: `${text} code: ${codesOf(status).join(', ')}.`,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

export const RESPONSES = {
  BadRequest: refusal(400, 'A rule that depends on stored data or settings forbids it.'),
  Unauthorized: refusal(401, 'The key is missing, unknown, or one of another kind or deployment.'),
  Forbidden: refusal(403, 'The key is known, but may not do this.'),
  NotFound: refusal(404, 'An id is unknown, or belongs to another team: both read the same.'),
  Conflict: refusal(409, 'Something is there already, or the idempotency key is taken.'),
  InvalidRequest: refusal(422, 'The request is not valid. Every problem is listed.', 'InvalidRequest'),
  NotReady: refusal(503, 'The service is starting or stopping, or its database does not answer.'),
} satisfies Record<string, Json>;

const header = (name: string, description: string, schema: Json, required = false): Json => ({
  name,
  in: 'header',
  description,
  ...(required ? { required } : {}),
  schema,
});

export const PARAMETERS = {
  IdempotencyKey: header(
    'X-Idempotency-Key',
    `Makes a repetition safe: for ${IDEMPOTENCY_HOURS} hours the same key with the same request answers what the first one did, ` +
      'and does nothing again. With another request it is 409 idempotency_mismatch.',
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
    "Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the endpoint's secret. " +
      'While a secret is being rotated there are two, with a space between. Also sent as svix-signature.',
    { type: 'string' },
    true,
  ),
} satisfies Record<string, Json>;

export const SECURITY_SCHEMES: Record<string, Json> = {
  team_key: {
    type: 'apiKey',
    in: 'header',
    name: teamKeyHeaders([])[0],
    description: 'A team API key: opens the data of its team.',
  },
  management_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Management-Key',
    description:
      'A management key: an Org Management Key opens the organisation, a Team Management Key its own teams. ' +
      'The header X-Service-Org-Key is deprecated and does the same.',
  },
};
