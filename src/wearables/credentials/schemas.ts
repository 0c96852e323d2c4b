import { Type } from 'typebox';
import { TheseTeams } from '../../tenancy/places.ts';
import { Cursor, nullable, oneOf, Text, Timestamp, Uuid, withDefault, WordFilter } from '../../wire/schema.ts';
import { LABORATORY_SLUGS } from '../laboratory-slugs.ts';
import { PROVIDER_SLUGS } from '../providers/catalogue.ts';
import { CredentialDetails, detailsOfProvider } from './details.ts';

const MOST_AT_ONCE = 100;

/** Of what goes between laboratories and us, and of who draws blood: names only, each once. */
const OF_LABORATORIES = ['aftership', 'shippo', 'supera', 'twilio', 'telnyx', 'getlabs', 'phlebfinders'] as const;
const SOURCES = [...PROVIDER_SLUGS, ...LABORATORY_SLUGS, ...OF_LABORATORIES];
const Source = oneOf(SOURCES, { description: 'The provider or laboratory.' });

const ClientId = Text(500, { description: "Id of the team's own application there." });
const RedirectUrl = Type.String({
  format: 'page-url',
  maxLength: 500,
  description:
    "Where the provider sends users back to in the place of this deployment's address. It has to send browsers on to that, with " +
    'all that stands behind the question mark.',
});

export const CredentialsQuery = Type.Object({
  team_id: TheseTeams,
  provider: Type.Optional(WordFilter({ description: 'Only at this provider or laboratory.' })),
  next_cursor: Type.Optional(Cursor()),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100, description: 'Credentials on a page.' }), 50),
});

/** A member that is left out stays as it is; null takes it away. */
export const CredentialsInput = Type.Object(
  {
    team_id: Uuid,
    provider: Source,
    client_id: Type.Optional(nullable(ClientId)),
    client_secret: Type.Optional(nullable(Text(2_000, { description: 'Its secret, which is never shown again.' }))),
    details: Type.Optional(nullable(CredentialDetails)),
    redirect_url_override: Type.Optional(nullable(RedirectUrl)),
  },
  { fulfils: detailsOfProvider },
);

export const Credentials = Type.Object({
  id: Uuid,
  client_id: nullable(ClientId),
  client_secret_hash: nullable(
    Type.String({
      description:
        'Of the secret, hexadecimal. Keyed, so that nobody can try secrets against it: the same for a team as long as its secret is.',
    }),
  ),
  source: Source,
  team_id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
  details: nullable(CredentialDetails),
  app_url: nullable(Type.String({ description: 'Always null: nothing here knows the page of an application.' })),
  redirect_url_override: nullable(RedirectUrl),
});

export const CredentialsPage = Type.Object({
  credentials: Type.Array(Credentials, {
    description: 'In the order they were first set, whichever team they are of.',
  }),
  next_cursor: nullable(Type.String()),
});

export const CredentialsRemoval = Type.Object({
  credential_id: Type.Array(Uuid, { minItems: 1, maxItems: MOST_AT_ONCE, description: 'The credentials to delete.' }),
});

export const RemovedCredentials = Type.Object({
  success: Type.Array(Uuid, { description: 'Credentials that are used for nothing new from now on.' }),
  failure: Type.Array(Uuid, { description: 'Always empty: all of them are deleted, or none.' }),
  not_found: Type.Array(Uuid, { description: 'Ids that are credentials of no team of the organisation.' }),
});

export const PreparationInput = Type.Object({ team_id: Uuid, provider: Source });

const PreparationStep = Type.Object({
  type: oneOf(['redirect_uri', 'webhook_uri', 'iam_principal'], {
    description:
      'What the value is. This service asks as no principal of a cloud, so that iam_principal is never told.',
  }),
  key: nullable(Type.String({ description: 'Name of the field there, where it has one.' })),
  value: Type.String({ description: 'What to enter there.' }),
  description: nullable(Type.String({ description: 'Where it belongs, for people.' })),
});

export const Preparation = Type.Object({
  status: oneOf(['no_action_needed', 'preparations_required'], {
    description: 'Whether something has to be entered at the provider before its credentials are set.',
  }),
  preparation_steps: Type.Array(PreparationStep, { description: 'What to enter there.' }),
});
