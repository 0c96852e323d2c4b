// What a team has with some providers and laboratories beside an id and a secret: of each the shape, and what of it is secret.
import { Type, type Static } from 'typebox';
import { AppError } from '../../errors.ts';
import type { Requirement } from '../../wire/rules.ts';
import { ownOf } from '../../wire/own.ts';
import { nullable, oneOf, Text } from '../../wire/schema.ts';

/** Stands for a secret in what is shown; sent back, it keeps what is stored. */
const HIDDEN = '[hidden]';

const MOST_STATES = 60;
const BILLING_TYPES = ['client_bill', 'commercial_insurance', 'patient_bill_passthrough', 'patient_bill'] as const;

const Name = (description: string) => Type.Optional(Text(200, { description }));
const Secret = Text(500, { description: `A secret; shown as ${HIDDEN}, which keeps it when it is sent back.` });

const Free = (whose: string) =>
  Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: 50,
      propertyNames: { maxLength: 100 },
      additionalProperties: Secret,
      description: `Whatever ${whose} has given the team, by name. Each value counts as a secret.`,
    }),
  );

const Fitbit = Type.Object(
  {
    is_hr_enabled: Type.Optional(Type.Boolean({ default: false, description: 'Whether it tells of heart rates.' })),
    workout_verify_token: Secret,
    sleep_verify_token: Secret,
    body_verify_token: Secret,
    foods_verify_token: Type.Optional(nullable(Secret)),
  },
  { description: 'Of Fitbit: the codes that its subscribers are confirmed with.' },
);
const GetLabs = Type.Object(
  { webhook_secret_key: Secret, webhook_secret_token: Secret },
  { description: 'Of Getlabs: what its notifications are known by.' },
);
const LabCorp = Type.Object(
  {
    account_number: Text(100, { description: 'Number of the account there.' }),
    billing_method: oneOf(['CM', 'PT', 'PI'], {
      description: 'CM: the client pays, PT: the patient, PI: an insurance.',
    }),
  },
  { description: 'Of Labcorp: the account of the team.' },
);
const PhlebFinders = Type.Object(
  {
    account_id: Text(100, { description: 'Id of the account there.' }),
    account_name: Text(200, { description: 'Name of the account there.' }),
    team_id: Text(100, { description: 'Id of the team there.' }),
    team_name: Text(200, { description: 'Name of the team there.' }),
    webhook_token: Secret,
    email: Type.String({ format: 'email', description: 'Where PhlebFinders writes to.' }),
  },
  { description: 'Of PhlebFinders: the account of the team.' },
);

const StatesOfType = {
  type: 'array',
  maxItems: MOST_STATES,
  items: { type: 'string', maxLength: 2, minLength: 2 },
};

/** All that any of them has; which are for which provider says the table below. */
export const CredentialDetails = Type.Object(
  {
    fitbit: Type.Optional(Fitbit),
    redirect_uri: Name('Of Google Fit: where it sends users back to.'),
    data_scopes: Type.Optional(
      Type.Array(Text(300), { maxItems: 100, description: 'Of Google Fit: the scopes that are asked for.' }),
    ),
    project_number: Name('Of Google Health: the number of the project of Google Cloud.'),
    service_account_email: Name('Of Google Health: the service account that makes its subscribers.'),
    client: Name('Of MyFitnessPal: the name of the client.'),
    webhook_secret: Type.Optional(Secret),
    getlabs: Type.Optional(GetLabs),
    phlebfinders: Type.Optional(PhlebFinders),
    bioreference: Free('BioReference'),
    quest: Free('Quest'),
    labcorp: Type.Optional(LabCorp),
    sending_facility: Name('Of Labcorp: who sends its messages.'),
    sending_application: Name('Of Labcorp: by what they are sent.'),
    receiving_facility: Name('Of Labcorp: who receives them.'),
    receiving_application: Name('Of Labcorp: by what they are received.'),
    sub_account_id: Type.Optional(nullable(Text(100, { description: 'Of laboratories: an account below it.' }))),
    sub_account_name: Type.Optional(nullable(Text(200, { description: 'Of laboratories: the name of that account.' }))),
    allowed_billing_types: Type.Optional(
      nullable(
        Type.Array(oneOf(BILLING_TYPES), {
          maxItems: BILLING_TYPES.length,
          description: 'Of laboratories: who may be billed; null: anybody.',
        }),
      ),
    ),
    disallowed_billing_states: Type.Optional(
      nullable(
        Type.Unsafe<Record<string, string[]>>({
          type: 'object',
          maxProperties: BILLING_TYPES.length,
          propertyNames: { enum: [...BILLING_TYPES] },
          additionalProperties: StatesOfType,
          description: 'Of laboratories: by who is billed, the states in which that is not done.',
        }),
      ),
    ),
    allowed_business_units: Type.Optional(
      nullable(Type.Array(Text(100), { maxItems: 50, description: 'Of Quest: the units that may be used.' })),
    ),
  },
  { description: 'What else the provider needs, in the shape of that provider.' },
);

export type Details = Static<typeof CredentialDetails>;

const BILLING = ['sub_account_id', 'sub_account_name', 'allowed_billing_types', 'disallowed_billing_states'];
const LABCORP_MESSAGES = ['sending_facility', 'sending_application', 'receiving_facility', 'receiving_application'];

type Shape = { needs: readonly string[]; may?: readonly string[] };
const Quest: Shape = { needs: ['quest'], may: [...BILLING, 'allowed_business_units'] };

/** By provider, one shape of these. */
const SHAPES: Readonly<Record<string, readonly Shape[]>> = {
  fitbit: [{ needs: ['fitbit'] }],
  google_fit: [{ needs: ['redirect_uri', 'data_scopes'] }],
  google_health: [{ needs: ['project_number', 'service_account_email'] }],
  polar: [{ needs: ['webhook_secret'] }],
  my_fitness_pal_v2: [{ needs: ['client'] }],
  getlabs: [{ needs: ['getlabs'] }],
  phlebfinders: [{ needs: ['phlebfinders'] }],
  bioreference: [{ needs: ['bioreference'], may: BILLING }],
  quest: [Quest],
  sonora_quest: [Quest],
  labcorp: [
    { needs: ['labcorp'], may: BILLING },
    { needs: LABCORP_MESSAGES, may: BILLING },
  ],
};

const shapesOf = (provider: string): readonly Shape[] => ownOf(SHAPES, provider) ?? [];

/** Details are those of the provider that is named. */
export const detailsOfProvider: Requirement = {
  check: ({ provider, details }) => {
    if (typeof provider !== 'string' || typeof details !== 'object' || details === null) return [];
    const given = Object.keys(details);
    const shapes = shapesOf(provider);
    const fits = ({ needs, may = [] }: Shape): boolean =>
      needs.every((name) => given.includes(name)) && given.every((name) => [...needs, ...may].includes(name));
    if (shapes.some(fits)) return [];
    const told = shapes.map(({ needs }) => needs.join(', ')).join(' or ');
    const msg = told === '' ? 'There are no details of this provider' : `Details of this provider have ${told}`;
    return [{ at: ['details'], type: 'value_error', msg }];
  },
  words: 'Details are in the shape of the provider: null where it has none.',
};

/** Members that are secrets, wherever they stand, and those of which every member is one. */
const SECRETS = new Set([
  'workout_verify_token',
  'sleep_verify_token',
  'body_verify_token',
  'foods_verify_token',
  'webhook_secret',
  'webhook_secret_key',
  'webhook_secret_token',
  'webhook_token',
]);
const ALL_SECRET = new Set(['bioreference', 'quest']);

/** Details as they are shown: every key of their shape, null where nothing is said of it, and no secret. */
export function shownDetails(provider: string, details: Details): Details {
  const shape = shapesOf(provider).find(({ needs }) => needs.every((name) => name in details));
  const absent = Object.fromEntries([...(shape?.needs ?? []), ...(shape?.may ?? [])].map((name) => [name, null]));
  const { fitbit, ...others } = eachSecret(details, () => HIDDEN);
  return { ...absent, ...others, ...(fitbit && { fitbit: { foods_verify_token: null, ...fitbit } }) };
}

/** Details as they are to be stored, where those that are stored already stand for what was hidden. Throws credentials_incomplete. */
export const keepHidden = (details: Details, stored: Details | null): Details =>
  eachSecret(details, (value, path) => {
    if (value !== HIDDEN) return value;
    const kept = path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], stored ?? {});
    if (typeof kept === 'string') return kept;
    throw new AppError(
      'credentials_incomplete',
      `${path.join('.')} is ${HIDDEN}, and nothing is stored that it stands for.`,
    );
  });

function eachSecret(details: Details, put: (value: string, path: string[]) => string): Details {
  const walk = (value: unknown, path: string[], isSecret: boolean): unknown => {
    if (typeof value === 'string') return isSecret ? put(value, path) : value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const members = Object.entries(value).map(([name, member]) => [
      name,
      walk(member, [...path, name], isSecret || SECRETS.has(name) || ALL_SECRET.has(name)),
    ]);
    return Object.fromEntries(members) as unknown;
  };
  return walk(details, [], false) as Details;
}
