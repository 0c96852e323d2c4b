import { Type, type Static } from 'typebox';
import { NamedTeams, NamedTeamsOrAll, ThisTeam } from '../../tenancy/team-paths.ts';
import { Cursor, nullable, oneOf, optional, Text, Uuid } from '../../wire/schema.ts';
import type { Requirement } from '../../wire/rules.ts';
import { MASK } from '../mask.ts';
import { ownProperty } from '../../wire/own-property.ts';
import { shape } from '../../wire/shape.ts';

const MAX_MAPPERS = 100;

const EhrType = oneOf(['fhir', 'hint_health'], {
  description: 'The API of the EHR: FHIR, or that of Hint Health.',
});

const Url = (description: string) => Type.String({ format: 'http-url', maxLength: 2048, description });
const Secret = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description });

const KEYS: Record<string, readonly string[]> = {
  client_credentials: ['client_id', 'client_secret', 'token_url'],
  google_iam: ['service_account_email', 'audience'],
  api_key: ['api_key'],
};

/** The authentication in a request. Members of another `type` are ignored, as unknown members are. */
const AuthenticationInput = Type.Object(
  {
    type: oneOf(['client_credentials', 'google_iam', 'api_key'], {
      description: 'The type, which decides about the other keys.',
    }),
    client_id: Type.Optional(Text(500, { description: 'Our id at the authorisation server.' })),
    client_secret: Type.Optional(Secret(`Our secret there. Responses show ${MASK}.`)),
    token_url: Type.Optional(Url('The URL for requests of tokens.')),
    service_account_email: Type.Optional(
      Type.String({ format: 'email', maxLength: 320, description: 'The service account that we use.' }),
    ),
    audience: Type.Optional(
      oneOf(['https://healthcare.googleapis.com/'], { description: 'The audience of the tokens.' }),
    ),
    api_key: Type.Optional(Secret(`The key. Responses show ${MASK}.`)),
  },
  {
    fulfils: {
      check: (value) =>
        (ownProperty(KEYS, value['type'] as string) ?? [])
          .filter((name) => value[name] === undefined)
          .map((name) => ({ at: [name], type: 'missing', msg: 'Field required' })),
      words: Object.entries(KEYS)
        .map(([type, names]) => `${type} needs ${names.map((name) => `\`${name}\``).join(', ')}.`)
        .join(' '),
    } satisfies Requirement,
    description: 'How we authenticate at the EHR. Secrets are stored sealed and never shown again.',
  },
);

/** Returns the properties of the input that belong to its `type`. */
export function authenticationOf(given: Static<typeof AuthenticationInput>): EhrAuthentication {
  const names = new Set(['type', ...(ownProperty(KEYS, given.type) ?? [])]);
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name))) as EhrAuthentication;
}

/** A text in a response, without the formats that requests require. */
const Shown = (description: string) => Type.String({ description });
const Authentication = Type.Union(
  [
    Type.Object({
      type: oneOf(['client_credentials']),
      client_id: Shown('Our id at the authorisation server.'),
      client_secret: Shown(`Always ${MASK}.`),
      token_url: Shown('The URL for requests of tokens.'),
    }),
    Type.Object({
      type: oneOf(['google_iam']),
      service_account_email: Shown('The service account that we use.'),
      audience: Shown('The audience of the tokens.'),
    }),
    Type.Object({ type: oneOf(['api_key']), api_key: Shown(`Always ${MASK}.`) }),
  ],
  { description: 'How we authenticate at the EHR. Secrets are masked.' },
);
export type EhrAuthentication = Static<typeof Authentication>;

const Mappers = Type.Array(Text(100), {
  maxItems: MAX_MAPPERS,
  description: 'The names of the allowed mappers. Null for all.',
});
const BaseUrl = Url('The base URL of the API.');

export const EhrPipelineInput = shape('EhrPipelineInput', {
  team_ids: NamedTeamsOrAll('Teams that get this pipeline.'),
  ehr_type: EhrType,
  base_url: BaseUrl,
  authentication: AuthenticationInput,
  allowed_mappers: optional(Mappers),
});

export const EhrPipeline = shape('EhrPipeline', {
  team_id: Uuid,
  type: oneOf(['native', 'ehr_linked'], {
    description: 'native: configured by this operation, as all pipelines are. ehr_linked is not in use.',
  }),
  ehr_type: EhrType,
  base_url: Shown('The base URL of the API.'),
  authentication: Authentication,
  allowed_mappers: nullable(Type.Array(Type.String(), { description: 'The allowed mappers. Null for all.' })),
});
export type EhrPipeline = Static<typeof EhrPipeline>;

export const EhrPipelines = Type.Array(EhrPipeline);

export const EhrPipelinePage = shape('EhrPipelinePage', {
  data: Type.Array(EhrPipeline, { description: 'One entry for each team and EHR.' }),
  next_token: nullable(Type.String({ description: 'The `next_cursor` of the next page. Null on the last page.' })),
});

export const EhrPipelineQuery = Type.Object({
  team_id: ThisTeam,
  next_cursor: Type.Optional(Cursor()),
});

export const EhrPipelineRemoval = Type.Object({
  team_id: NamedTeams('Teams that lose the pipeline.'),
  ehr_type: EhrType,
});
