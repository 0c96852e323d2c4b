import { Type, type Static } from 'typebox';
import { NamedTeams, NamedTeamsOrAll, ThisTeam } from '../../tenancy/places.ts';
import { Cursor, nullable, oneOf, optional, Text, Uuid } from '../../wire/schema.ts';
import type { Requirement } from '../../wire/rules.ts';
import { MASK } from '../mask.ts';
import { ownOf } from '../../wire/own.ts';

const MOST_MAPPERS = 100;

const EhrType = oneOf(['fhir', 'hint_health'], {
  description: 'What the EHR speaks: FHIR, or the API of Hint Health.',
});

const Url = (description: string) => Type.String({ format: 'http-url', maxLength: 2048, description });
const Secret = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description });

const KEYS: Record<string, readonly string[]> = {
  client_credentials: ['client_id', 'client_secret', 'token_url'],
  google_iam: ['service_account_email', 'audience'],
  api_key: ['api_key'],
};

/** Keys of another type are as unknown ones. */
const AuthenticationInput = Type.Object(
  {
    type: oneOf(['client_credentials', 'google_iam', 'api_key'], {
      description: 'Which of the keys beside it are taken.',
    }),
    client_id: Type.Optional(Text(500, { description: 'Our id at the authorisation server.' })),
    client_secret: Type.Optional(Secret(`Our secret there. Answers show ${MASK}.`)),
    token_url: Type.Optional(Url('Where tokens are asked for.')),
    service_account_email: Type.Optional(
      Type.String({ format: 'email', maxLength: 320, description: 'The service account that acts for us.' }),
    ),
    audience: Type.Optional(oneOf(['https://healthcare.googleapis.com/'], { description: 'Whom tokens are for.' })),
    api_key: Type.Optional(Secret(`The key. Answers show ${MASK}.`)),
  },
  {
    fulfils: {
      check: (value) =>
        (ownOf(KEYS, value['type'] as string) ?? [])
          .filter((name) => value[name] === undefined)
          .map((name) => ({ at: [name], type: 'missing', msg: 'Field required' })),
      words: Object.entries(KEYS)
        .map(([type, names]) => `${type} needs ${names.map((name) => `\`${name}\``).join(', ')}.`)
        .join(' '),
    } satisfies Requirement,
    description: 'How the EHR is shown who asks. Secrets are stored sealed and never shown again.',
  },
);

/** What of the input is of its type. */
export function authenticationOf(given: Static<typeof AuthenticationInput>): EhrAuthentication {
  const names = new Set(['type', ...(ownOf(KEYS, given.type) ?? [])]);
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name))) as EhrAuthentication;
}

/** In answers, without the formats of what is taken. */
const Shown = (description: string) => Type.String({ description });
const Authentication = Type.Union(
  [
    Type.Object({
      type: oneOf(['client_credentials']),
      client_id: Shown('Our id at the authorisation server.'),
      client_secret: Shown(`Always ${MASK}.`),
      token_url: Shown('Where tokens are asked for.'),
    }),
    Type.Object({
      type: oneOf(['google_iam']),
      service_account_email: Shown('The service account that acts for us.'),
      audience: Shown('Whom tokens are for.'),
    }),
    Type.Object({ type: oneOf(['api_key']), api_key: Shown(`Always ${MASK}.`) }),
  ],
  { description: 'How the EHR is shown who asks; secrets are masked.' },
);
export type EhrAuthentication = Static<typeof Authentication>;

const Mappers = Type.Array(Text(100), {
  maxItems: MOST_MAPPERS,
  description: 'Mappers that may be used, by name; null: all.',
});
const BaseUrl = Url('Where the API of the EHR begins.');

export const EhrPipelineInput = Type.Object({
  team_ids: NamedTeamsOrAll('Teams that get this pipeline.'),
  ehr_type: EhrType,
  base_url: BaseUrl,
  authentication: AuthenticationInput,
  allowed_mappers: optional(Mappers),
});

export const EhrPipeline = Type.Object({
  team_id: Uuid,
  type: oneOf(['native', 'ehr_linked'], {
    description: 'native: configured by this operation, as all are; ehr_linked is not in use.',
  }),
  ehr_type: EhrType,
  base_url: Shown('Where the API of the EHR begins.'),
  authentication: Authentication,
  allowed_mappers: nullable(Type.Array(Type.String(), { description: 'Mappers that may be used; null: all.' })),
});
export type EhrPipeline = Static<typeof EhrPipeline>;

export const EhrPipelines = Type.Array(EhrPipeline);

export const EhrPipelinePage = Type.Object({
  data: Type.Array(EhrPipeline, { description: 'A team and an EHR each.' }),
  next_token: nullable(
    Type.String({ description: 'Give it as `next_cursor` for the page after; null on the last one.' }),
  ),
});

export const EhrPipelineQuery = Type.Object({
  team_id: ThisTeam,
  next_cursor: Type.Optional(Cursor()),
});

export const EhrPipelineRemoval = Type.Object({
  team_id: NamedTeams('Teams that lose the pipeline.'),
  ehr_type: EhrType,
});
