import { Type, type Static } from 'typebox';
import { ProviderName } from '../providers/schemas.ts';
import { Cursor, nullable, oneOf, Timestamp, Uuid, withDefault, WordFilter } from '../../wire/schema.ts';
import { shape } from '../../wire/shape.ts';
import { isConnectionKey } from './connection-key.ts';

/** Why a connection brings no more data. */
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
  required: Type.Array(Type.String(), { description: 'Scopes without which the resource is unavailable.' }),
  optional: Type.Array(Type.String(), { description: 'Scopes that bring more details of the resource.' }),
});

export const ResourceAvailability = shape('ResourceAvailability', {
  status: oneOf(['available', 'unavailable'], { description: 'Whether this connection can bring the resource.' }),
  scope_requirements: nullable(Type.Object({ user_granted: Scopes, user_denied: Scopes })),
});

const Availabilities = Type.Record(Type.String(), ResourceAvailability, {
  description: 'The resources that the connection can bring, by name.',
});

const ExternalUserId = nullable(Type.String({ description: "The provider's own id of the user." }));
const ErrorType = oneOf(CONNECTION_ERRORS, { description: 'Why the connection brings no more data.' });

const ConnectionErrorDetails = shape('ConnectionErrorDetails', {
  error_type: ErrorType,
  error_message: Type.String(),
  errored_at: Timestamp,
});

/** How many records of one series or kind of summary Phial did not store, for one reason. */
export const SkippedOfProvider = shape('SkippedOfProvider', {
  type: Type.String({ description: 'The series or kind of summary, as heartrate or sleep.' }),
  reason: oneOf(['impossible'], {
    description:
      'impossible: the value cannot have been measured, such as a heart rate of 9,000 or a sleep that ' +
      'is longer than its night. If the rest of a summary is possible, only that value is left out.',
  }),
  records: Type.Integer({ description: 'How many records were left out.' }),
});

export const ProviderWithStatus = shape('ProviderWithStatus', {
  name: Type.String(),
  slug: Type.String({ description: 'Short name that does not change.' }),
  logo: Type.String(),
  created_on: Timestamp,
  status: Type.String({ description: 'connected, error or paused.' }),
  external_user_id: ExternalUserId,
  error_details: nullable(ConnectionErrorDetails),
  resource_availability: Availabilities,
  last_data_at: nullable(
    Type.String({ format: 'date-time', description: 'When the connection last brought something new.' }),
  ),
  last_attempt: nullable(
    Type.Object(
      {
        timestamp: Timestamp,
        status: oneOf(['success', 'failure'], { description: 'Whether the provider answered.' }),
      },
      { description: 'The last request to the provider; null where data is pushed, and before the first request.' },
    ),
  ),
  skipped: Type.Array(SkippedOfProvider, {
    description:
      'Records that the pull of the past and the last poll have left out, whole or in part, the most ' +
      'first. While the polled days overlap the days of the pull, the left-out records of both count ' +
      'as the same ones. So a record that is left out in the first days after the pull may be counted ' +
      'only later. Empty for pushed data: impossible values in a push are refused instead.',
  }),
  next: Type.Object(
    {
      action: oneOf(['historical_pull', 'poll', 'push', 'reconnect', 'none'], {
        description:
          'historical_pull: more of the past is pulled. poll: new data is polled. push: the phone or the ' +
          'person sends data. reconnect: nothing happens until the user connects again. none: nothing ' +
          'happens, because there is no application for the provider here.',
      }),
      at: nullable(
        Type.String({
          format: 'date-time',
          description: 'The earliest time of the next step; null where no time is set.',
        }),
      ),
      resources: Type.Array(Type.String(), {
        description: 'For a historical_pull: the resources that have not arrived completely.',
      }),
    },
    { description: 'The next step.' },
  ),
});

const ConnectionStatus = Type.String({ description: 'connected, error or paused.' });

/** Filters of the list of a team's connections. */
export const TeamConnectionsQuery = Type.Object({
  status: withDefault(
    WordFilter({ description: 'Only connections in this status: connected, error or paused.' }),
    'error',
  ),
  provider: Type.Optional(WordFilter({ description: 'Only connections to this provider, by its slug.' })),
  error_type: Type.Optional(
    WordFilter({ description: 'Only connections with this error, as `GET /v2/team/connection_counts` groups them.' }),
  ),
  next_cursor: Type.Optional(Cursor({ isKey: isConnectionKey })),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 50),
});

const TeamConnection = shape('TeamConnection', {
  user_id: Uuid,
  client_user_id: Type.String(),
  provider: ProviderName,
  status: ConnectionStatus,
  since: Type.String({ ...Timestamp, description: 'Time at which the connection got this status, UTC.' }),
  error_details: nullable(ConnectionErrorDetails),
});

export const TeamConnectionPage = shape('TeamConnectionPage', {
  data: Type.Array(TeamConnection),
  next_cursor: nullable(Type.String()),
});

const ConnectionCount = shape('ConnectionCount', {
  provider: ProviderName,
  status: ConnectionStatus,
  error_type: nullable(ErrorType),
  error_message: nullable(Type.String()),
  number: Type.Integer({ description: 'Connections to this provider with this status and error.' }),
});

export const ConnectionCounts = shape('ConnectionCounts', {
  connected: Type.Integer({ description: 'Connections that work.' }),
  error: Type.Integer({ description: 'Connections that deliver no data because of an error.' }),
  paused: Type.Integer({ description: 'Connections that were paused.' }),
  data: Type.Array(ConnectionCount, { description: 'The same connections by provider, status and error.' }),
});

export const ConnectionsOfUser = shape('ConnectionsOfUser', { providers: Type.Array(ProviderWithStatus) });

/** The data of the event provider.connection.created. */
export const NewConnection = shape('NewConnection', {
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

/** The data of the event provider.connection.error. */
export const BrokenConnection = shape('BrokenConnection', {
  user_id: Uuid,
  provider: Type.String({ description: 'Slug of the provider.' }),
  error_type: ErrorType,
  message: Type.String({ description: 'What happened and what to do, for people.' }),
  error_details: Type.String({ description: 'The code that the provider returned; may be empty.' }),
});

export const ProviderDetails = shape('ProviderDetails', {
  name: Type.String(),
  slug: Type.String({ description: 'Short name that does not change.' }),
  description: Type.String(),
  logo: nullable(Type.String()),
  auth_type: nullable(
    Type.String({
      description:
        "How a user connects it: oauth at the provider's own page, password or email, sdk through an app " +
        'on the phone; empty where nothing can be connected.',
    }),
  ),
  supported_resources: Type.Array(Type.String()),
});
