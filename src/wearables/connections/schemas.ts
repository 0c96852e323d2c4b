import { Type, type Static } from 'typebox';
import { ProviderName } from '../providers/schemas.ts';
import { nullable, oneOf, Timestamp, Uuid } from '../../wire/schema.ts';

/** Why a connection brings nothing any more. */
export const CONNECTION_ERRORS = [
  'token_refresh_failed',
  'webhook_registration_failed',
  'user_not_found',
  'deregistered_per_provider',
  'required_scopes_not_granted',
  'provider_credential_error',
  'provider_password_expired',
  'unknown',
] as const;

const Scopes = Type.Object({
  required: Type.Array(Type.String(), { description: 'Without these there is nothing.' }),
  optional: Type.Array(Type.String(), { description: 'These make it fuller.' }),
});

export const ResourceAvailability = Type.Object({
  status: oneOf(['available', 'unavailable'], { description: 'Whether this connection can bring it.' }),
  scope_requirements: nullable(Type.Object({ user_granted: Scopes, user_denied: Scopes })),
});

const Availabilities = Type.Record(Type.String(), ResourceAvailability, {
  description: 'What the connection can bring, by resource.',
});

const ExternalUserId = nullable(Type.String({ description: "The provider's own id of the user." }));
const ErrorType = oneOf(CONNECTION_ERRORS, { description: 'Why the connection brings nothing any more.' });

export const ConnectionErrorDetails = Type.Object({
  error_type: ErrorType,
  error_message: Type.String(),
  errored_at: Timestamp,
});

/** Records of a provider that were left out. */
export const SkippedOfProvider = Type.Object({
  type: Type.String({ description: 'The series or kind of summary, as heartrate or sleep.' }),
  reason: oneOf(['impossible'], {
    description:
      'impossible: nothing can have been measured so, as a heart rate of 9,000 or more sleep than the night is long. Where the rest ' +
      'of a summary can be, only that value is left out.',
  }),
  records: Type.Integer({ description: 'How many there were.' }),
});

export const ProviderWithStatus = Type.Object({
  name: Type.String(),
  slug: Type.String({ description: 'Short name that does not change.' }),
  logo: Type.String(),
  created_on: Timestamp,
  status: Type.String({ description: 'connected, error or paused.' }),
  external_user_id: ExternalUserId,
  error_details: nullable(ConnectionErrorDetails),
  resource_availability: Availabilities,
  last_data_at: nullable(Type.String({ format: 'date-time', description: 'When it last brought something new.' })),
  last_attempt: nullable(
    Type.Object(
      {
        timestamp: Timestamp,
        status: oneOf(['success', 'failure'], { description: 'How it went.' }),
      },
      { description: 'When the provider was last asked; null of what is pushed, and before the first time.' },
    ),
  ),
  skipped: Type.Array(SkippedOfProvider, {
    description:
      'What the pull of the past and the last look at the newest days have left out, whole or in part, the most first. As long as ' +
      'that look reaches into the days of the pull, its records are taken for the same ones: what is left out in the first days after ' +
      'the pull may then be counted later. Nothing of what is pushed, which is refused instead.',
  }),
  next: Type.Object(
    {
      action: oneOf(['historical_pull', 'poll', 'push', 'reconnect', 'none'], {
        description:
          'historical_pull: more of the past. poll: what is new. push: the phone, or the person, sends it. reconnect: nothing ' +
          'until the user connects again. none: nothing, as long as there is no application for the provider here.',
      }),
      at: nullable(Type.String({ format: 'date-time', description: 'From when on; null where no time is set.' })),
      resources: Type.Array(Type.String(), { description: 'Of a historical_pull, what has not come whole yet.' }),
    },
    { description: 'What comes next.' },
  ),
});

export const ConnectionsOfUser = Type.Object({ providers: Type.Array(ProviderWithStatus) });

/** What provider.connection.created tells. */
export const NewConnection = Type.Object({
  user_id: Uuid,
  provider: ProviderName,
  source: Type.Unsafe<Static<typeof ProviderName>>({
    ...ProviderName,
    deprecated: true,
    description: 'The same as provider.',
  }),
  external_user_id: ExternalUserId,
  resource_availability: Availabilities,
});

/** What provider.connection.error tells. */
export const BrokenConnection = Type.Object({
  user_id: Uuid,
  provider: Type.String({ description: 'Slug of the provider.' }),
  error_type: ErrorType,
  message: Type.String({ description: 'What happened and what to do, for people.' }),
  error_details: Type.String({ description: 'What the provider answered, as a code; may be empty.' }),
});

export const ProviderDetails = Type.Object({
  name: Type.String(),
  slug: Type.String({ description: 'Short name that does not change.' }),
  description: Type.String(),
  logo: nullable(Type.String()),
  auth_type: nullable(
    Type.String({
      description:
        "How a user connects it: oauth at the provider's own page, password or email, sdk through an app on the phone; " +
        'empty where there is nothing to connect.',
    }),
  ),
  supported_resources: Type.Array(Type.String()),
});
