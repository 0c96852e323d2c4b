import { Type } from 'typebox';
import { EventFilters } from '../../events/filter.ts';
import type { Mismatch } from '../../wire/mismatch.ts';
import { nullable, optional, Text, Timestamp, Uuid } from '../../wire/schema.ts';
import { named, shape } from '../../wire/shape.ts';

const MAX_PER_SECOND = 100_000;

/**
 * Matches `whsec_` and the canonical base64 of 24 to 64 bytes, as Standard Webhooks requires. `isSecret` checks the
 * same.
 */
const SECRET_PATTERN =
  '^whsec_(?:' +
  '(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?' +
  '|(?:[A-Za-z0-9+/]{4}){21}(?:[A-Za-z0-9+/][AQgw]==)?)$';

const mismatch: Mismatch = { msg: 'String should be whsec_ and base64 of 24 to 64 bytes' };

export const Secret = Type.String({
  maxLength: 100,
  pattern: SECRET_PATTERN,
  mismatch,
  description: '`whsec_` and base64 of 24 to 64 bytes. Without it we make a secret.',
});

const Url = Type.String({ format: 'http-url', maxLength: 2048 });
const Description = Text(1000, { minLength: 0 });
const RateLimit = Type.Integer({
  minimum: 1,
  maximum: MAX_PER_SECOND,
  description: 'The most deliveries per second to this endpoint. Others wait. null: no limit.',
});
const FilterTypes = EventFilters(
  'Event types to send, by name or by a prefix that ends in `.*`, as `labtest.order.*`. null: every type except ' +
    'the operational ones, which go only to endpoints that name them. An empty list is refused: to stop ' +
    'deliveries, set `disabled`.',
);

const V1aEnabled = {
  description:
    'Whether deliveries are signed with ed25519 (`v1a`) beside `v1`. An endpoint verifies that with a public ' +
    'key, which cannot sign.',
};

export const WebhookInput = shape('WebhookInput', {
  url: Url,
  description: optional(Type.Unsafe<string>({ ...Description, default: '' })),
  rate_limit: optional(RateLimit),
  disabled: optional(Type.Boolean({ default: false })),
  filter_types: optional(FilterTypes),
  v1a_enabled: optional(Type.Boolean({ ...V1aEnabled, default: false })),
  secret: optional(Secret),
});

/** A property that is absent in the request does not change. Null clears a property that can be empty. */
export const WebhookPatch = shape('WebhookPatch', {
  url: Type.Optional(nullable(Url)),
  description: Type.Optional(nullable(Description)),
  rate_limit: Type.Optional(nullable(RateLimit)),
  disabled: Type.Optional(nullable(Type.Boolean())),
  filter_types: Type.Optional(nullable(FilterTypes)),
  v1a_enabled: Type.Optional(nullable(Type.Boolean(V1aEnabled))),
});

export const Webhook = shape('Webhook', {
  id: Uuid,
  description: nullable(Type.String()),
  rate_limit: nullable(Type.Integer()),
  url: Type.String(),
  disabled: nullable(Type.Boolean()),
  filter_types: nullable(Type.Array(Type.String())),
  v1a_enabled: Type.Boolean(V1aEnabled),
  created_at: Timestamp,
  updated_at: Timestamp,
  failing_since: nullable(Timestamp),
  former_secret_ends_at: nullable({
    ...Timestamp,
    description: 'Until when a former secret signs beside the newest one. null: only the newest secret signs.',
  }),
});

export const WebhookPage = shape('WebhookPage', { data: Type.Array(Webhook), next_cursor: nullable(Type.String()) });

const HeaderMap = Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } });
/**
 * This schema allows twice as much as `checkHeaders`. So `checkHeaders` finds most errors, and its messages are better:
 * they say which header is wrong and why.
 */
const HeaderMapInput = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 64,
  propertyNames: { maxLength: 256 },
  additionalProperties: { type: 'string', maxLength: 8192 },
});

export const WebhookHeadersInput = shape('WebhookHeadersInput', { headers: HeaderMapInput });

export const WebhookHeaders = shape('WebhookHeaders', {
  headers: HeaderMap,
  sensitive: Type.Array(Type.String(), {
    description: 'The names of the headers whose values are secrets. We never return those values.',
  }),
});

export const WebhookSecret = shape('WebhookSecret', { key: Type.String() });

const MAX_OVERLAP_HOURS = 7 * 24;
export const DEFAULT_OVERLAP_HOURS = 24;
const OverlapHours = Type.Integer({
  minimum: 0,
  maximum: MAX_OVERLAP_HOURS,
  default: DEFAULT_OVERLAP_HOURS,
  description:
    'How long the replaced secret or key pair keeps signing beside the new one. All older ones end by then at ' +
    'the latest. With 0 they end at once, as after a leak.',
});
export const SecretRotation = named(
  'SecretRotation',
  nullable(Type.Object({ key: optional(Secret), keep_old_hours: optional(OverlapHours) })),
);
export const PublicKeyRotation = named(
  'PublicKeyRotation',
  nullable(Type.Object({ keep_old_hours: optional(OverlapHours) })),
);
export const WebhookPublicKey = shape('WebhookPublicKey', {
  public_key: nullable(
    Type.String({ description: '`whpk_` and base64 of 32 bytes. Null when v1a was never enabled.' }),
  ),
});
