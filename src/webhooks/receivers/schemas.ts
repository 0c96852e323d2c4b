import { Type } from 'typebox';
import { EventFilters } from '../../events/filter.ts';
import type { Mismatch } from '../../wire/mismatch.ts';
import { nullable, optional, Text, Timestamp, Uuid } from '../../wire/schema.ts';

const MOST_PER_SECOND = 100_000;

/** `whsec_` and canonical base64 of 24 to 64 bytes, as Standard Webhooks asks; `isSecret` says the same. */
const SECRET_PATTERN =
  '^whsec_(?:' +
  '(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?' +
  '|(?:[A-Za-z0-9+/]{4}){21}(?:[A-Za-z0-9+/][AQgw]==)?)$';

const mismatch: Mismatch = { msg: 'String should be whsec_ and base64 of 24 to 64 bytes' };

export const Secret = Type.String({
  maxLength: 100,
  pattern: SECRET_PATTERN,
  mismatch,
  description: '`whsec_` and base64 of 24 to 64 bytes. Left out: one is made.',
});

const Url = Type.String({ format: 'http-url', maxLength: 2048 });
const Description = Text(1000, { minLength: 0 });
const RateLimit = Type.Integer({
  minimum: 1,
  maximum: MOST_PER_SECOND,
  description: 'Most deliveries per second to this endpoint; what is more waits. null: as many as it takes.',
});
const FilterTypes = EventFilters(
  'Event types to send, by name or by a beginning that ends in `.*`, as `labtest.order.*`. null: every type but the ' +
    'operational ones, which go only to endpoints that name them. ' +
    'An empty list is refused: to stop deliveries, set `disabled`.',
);

const V1aEnabled = {
  description:
    'Whether deliveries are signed with ed25519 (`v1a`) beside `v1`: whoever verifies that needs the public key alone, ' +
    'which can sign nothing.',
};

export const WebhookInput = Type.Object({
  url: Url,
  description: optional(Type.Unsafe<string>({ ...Description, default: '' })),
  rate_limit: optional(RateLimit),
  disabled: optional(Type.Boolean({ default: false })),
  filter_types: optional(FilterTypes),
  v1a_enabled: optional(Type.Boolean({ ...V1aEnabled, default: false })),
  secret: optional(Secret),
});

/** Keys that are left out stay as they are; null clears what can be empty. */
export const WebhookPatch = Type.Object({
  url: Type.Optional(nullable(Url)),
  description: Type.Optional(nullable(Description)),
  rate_limit: Type.Optional(nullable(RateLimit)),
  disabled: Type.Optional(nullable(Type.Boolean())),
  filter_types: Type.Optional(nullable(FilterTypes)),
  v1a_enabled: Type.Optional(nullable(Type.Boolean(V1aEnabled))),
});

export const Webhook = Type.Object({
  id: Uuid,
  description: nullable(Type.String()),
  rate_limit: nullable(Type.Integer()),
  url: Type.String(),
  disabled: nullable(Type.Boolean()),
  filter_types: nullable(Type.Array(Type.String())),
  v1a_enabled: Type.Boolean(V1aEnabled),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const WebhookPage = Type.Object({ data: Type.Array(Webhook), next_cursor: nullable(Type.String()) });

const HeaderMap = Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } });
/** Twice what `checkHeaders` takes: its own words tell better what is wrong with a header. */
const HeaderMapInput = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 64,
  propertyNames: { maxLength: 256 },
  additionalProperties: { type: 'string', maxLength: 8192 },
});

export const WebhookHeadersInput = Type.Object({ headers: HeaderMapInput });

export const WebhookHeaders = Type.Object({
  headers: HeaderMap,
  sensitive: Type.Array(Type.String(), {
    description: 'Names of the headers whose values are secrets and are never answered.',
  }),
});

export const WebhookSecret = Type.Object({ key: Type.String() });

const MOST_OVERLAP_HOURS = 7 * 24;
export const KEPT_HOURS = 24;
const KeepOldHours = Type.Integer({
  minimum: 0,
  maximum: MOST_OVERLAP_HOURS,
  default: KEPT_HOURS,
  description:
    'For how long what was replaced keeps signing beside its successor. Whatever signs from before ends by then at the ' +
    'latest; with 0, as after a leak, at once.',
});
export const SecretRotation = nullable(Type.Object({ key: optional(Secret), keep_old_hours: optional(KeepOldHours) }));
export const PublicKeyRotation = nullable(Type.Object({ keep_old_hours: optional(KeepOldHours) }));
export const WebhookPublicKey = Type.Object({
  public_key: nullable(
    Type.String({ description: '`whpk_` and base64 of 32 bytes; null where v1a was never asked for.' }),
  ),
});
