import { Type } from 'typebox';
import { TheseTeams } from '../../tenancy/team-paths.ts';
import { Cursor, nullable, oneOf, Text, Timestamp, Uuid, withDefault, WordFilter } from '../../wire/schema.ts';
import { LABORATORY_SLUGS } from '../laboratory-slugs.ts';
import { PROVIDER_SLUGS } from '../providers/provider-catalogue.ts';
import { CredentialDetails, detailsOfProvider } from './details.ts';
import { shape } from '../../wire/shape.ts';

const MAX_AT_ONCE = 100;

/** The services that connect laboratories with us, and the companies that draw blood. */
const OF_LABORATORIES = ['aftership', 'shippo', 'supera', 'twilio', 'telnyx', 'getlabs', 'phlebfinders'] as const;
const SOURCES = [...PROVIDER_SLUGS, ...LABORATORY_SLUGS, ...OF_LABORATORIES];
const Source = oneOf(SOURCES, { description: 'The provider or laboratory.' });

const ClientId = Text(500, { description: "Id of the team's own application there." });
const RedirectUrl = Type.String({
  format: 'page-url',
  maxLength: 500,
  description:
    "The address that the provider sends users back to instead of this deployment's address. It has " +
    'to send browsers on to that address, with the whole query string.',
});

export const CredentialsQuery = Type.Object({
  team_id: TheseTeams,
  provider: Type.Optional(WordFilter({ description: 'Only credentials at this provider or laboratory.' })),
  next_cursor: Type.Optional(Cursor()),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100, description: 'Credentials on a page.' }), 50),
});

/** If a key is missing, its stored value does not change. Null deletes the stored value. */
export const CredentialsInput = shape(
  'CredentialsInput',
  {
    team_id: Uuid,
    provider: Source,
    client_id: Type.Optional(nullable(ClientId)),
    client_secret: Type.Optional(
      nullable(Text(2_000, { description: "The application's secret, which is never shown again." })),
    ),
    details: Type.Optional(nullable(CredentialDetails)),
    redirect_url_override: Type.Optional(nullable(RedirectUrl)),
  },
  { fulfils: detailsOfProvider },
);

export const Credentials = shape('Credentials', {
  id: Uuid,
  client_id: nullable(ClientId),
  client_secret_hash: nullable(
    Type.String({
      description:
        'A hash of the secret, hexadecimal. It is keyed, so that nobody can try secrets against it; it ' +
        'is the same for a team as long as the secret is the same.',
    }),
  ),
  source: Source,
  team_id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
  details: nullable(CredentialDetails),
  app_url: nullable(
    Type.String({ description: 'Always null: this service does not know the page of an application.' }),
  ),
  redirect_url_override: nullable(RedirectUrl),
});

export const CredentialsPage = shape('CredentialsPage', {
  credentials: Type.Array(Credentials, {
    description: 'The oldest first, whichever team they belong to.',
  }),
  next_cursor: nullable(Type.String()),
});

export const CredentialsRemoval = Type.Object({
  credential_id: Type.Array(Uuid, { minItems: 1, maxItems: MAX_AT_ONCE, description: 'The credentials to delete.' }),
});

export const RemovedCredentials = shape('RemovedCredentials', {
  success: Type.Array(Uuid, { description: 'Credentials that make no new connections from now on.' }),
  failure: Type.Array(Uuid, { description: 'Always empty: all of them are deleted, or none.' }),
  not_found: Type.Array(Uuid, { description: 'Ids that are credentials of no team of the organisation.' }),
});

export const PreparationInput = shape('PreparationInput', { team_id: Uuid, provider: Source });

const PreparationStep = Type.Object({
  type: oneOf(['redirect_uri', 'webhook_uri', 'iam_principal'], {
    description: 'The kind of value. This service calls no cloud as a principal, so iam_principal does not occur.',
  }),
  key: nullable(Type.String({ description: 'Name of the field there, where it has one.' })),
  value: Type.String({ description: 'What to enter there.' }),
  description: nullable(Type.String({ description: 'Where to enter it, for people.' })),
});

export const Preparation = shape('Preparation', {
  status: oneOf(['no_action_needed', 'preparations_required'], {
    description: 'Whether something has to be entered at the provider before the credentials are set.',
  }),
  preparation_steps: Type.Array(PreparationStep, { description: 'The values to enter there.' }),
});
