// Some providers and laboratories need more than an id and a secret. This file defines these details for each of them,
// and says which parts are secret.
import { Type, type Static } from 'typebox';
import { AppError } from '../../errors.ts';
import type { Requirement } from '../../wire/rules.ts';
import { ownProperty } from '../../wire/own-property.ts';
import { nullable, oneOf, Text } from '../../wire/schema.ts';

/**
 * Responses show this text instead of a secret. If a request sends this text back, the stored secret does not change.
 */
const HIDDEN = '[hidden]';

const MAX_STATES = 60;
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
      description: `The values that ${whose} has given the team, by name. Each value counts as a secret.`,
    }),
  );

const Fitbit = Type.Object(
  {
    is_hr_enabled: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the provider sends heart rates.' }),
    ),
    workout_verify_token: Secret,
    sleep_verify_token: Secret,
    body_verify_token: Secret,
    foods_verify_token: Type.Optional(nullable(Secret)),
  },
  { description: 'For Fitbit: the codes that confirm its subscribers.' },
);
const GetLabs = Type.Object(
  { webhook_secret_key: Secret, webhook_secret_token: Secret },
  { description: 'For Getlabs: what identifies its notifications.' },
);
const LabCorp = Type.Object(
  {
    account_number: Text(100, { description: 'Number of the account there.' }),
    billing_method: oneOf(['CM', 'PT', 'PI'], {
      description: 'CM: the client pays, PT: the patient, PI: an insurance.',
    }),
  },
  { description: 'For Labcorp: the account of the team.' },
);
const PhlebFinders = Type.Object(
  {
    account_id: Text(100, { description: 'Id of the account there.' }),
    account_name: Text(200, { description: 'Name of the account there.' }),
    team_id: Text(100, { description: 'Id of the team there.' }),
    team_name: Text(200, { description: 'Name of the team there.' }),
    webhook_token: Secret,
    email: Type.String({ format: 'email', description: 'The address that PhlebFinders writes to.' }),
  },
  { description: 'For PhlebFinders: the account of the team.' },
);

const StatesOfType = {
  type: 'array',
  maxItems: MAX_STATES,
  items: { type: 'string', maxLength: 2, minLength: 2 },
};

/** The details of all providers together. SHAPES says which of them belong to which provider. */
export const CredentialDetails = Type.Object(
  {
    fitbit: Type.Optional(Fitbit),
    redirect_uri: Name('For Google Fit: the address that it sends users back to.'),
    data_scopes: Type.Optional(
      Type.Array(Text(300), { maxItems: 100, description: 'For Google Fit: the scopes that are asked for.' }),
    ),
    project_number: Name('For Google Health: the number of the project of Google Cloud.'),
    service_account_email: Name('For Google Health: the service account that makes its subscribers.'),
    client: Name('For MyFitnessPal: the name of the client.'),
    webhook_secret: Type.Optional(Secret),
    getlabs: Type.Optional(GetLabs),
    phlebfinders: Type.Optional(PhlebFinders),
    bioreference: Free('BioReference'),
    quest: Free('Quest'),
    labcorp: Type.Optional(LabCorp),
    sending_facility: Name('For Labcorp: the facility that sends messages.'),
    sending_application: Name('For Labcorp: the application that sends messages.'),
    receiving_facility: Name('For Labcorp: the facility that receives messages.'),
    receiving_application: Name('For Labcorp: the application that receives messages.'),
    sub_account_id: Type.Optional(nullable(Text(100, { description: 'For laboratories: the id of a sub-account.' }))),
    sub_account_name: Type.Optional(
      nullable(Text(200, { description: 'For laboratories: the name of the sub-account.' })),
    ),
    allowed_billing_types: Type.Optional(
      nullable(
        Type.Array(oneOf(BILLING_TYPES), {
          maxItems: BILLING_TYPES.length,
          description: 'For laboratories: the allowed billing types; null: all of them.',
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
          description: 'For laboratories: the states where a billing type is not allowed, by billing type.',
        }),
      ),
    ),
    allowed_business_units: Type.Optional(
      nullable(Type.Array(Text(100), { maxItems: 50, description: 'For Quest: the business units that may be used.' })),
    ),
  },
  { description: 'Further details that the provider needs, in the shape of that provider.' },
);

export type Details = Static<typeof CredentialDetails>;

const BILLING = ['sub_account_id', 'sub_account_name', 'allowed_billing_types', 'disallowed_billing_states'];
const LABCORP_MESSAGES = ['sending_facility', 'sending_application', 'receiving_facility', 'receiving_application'];

type Shape = { needs: readonly string[]; may?: readonly string[] };
const Quest: Shape = { needs: ['quest'], may: [...BILLING, 'allowed_business_units'] };

/**
 * The keys that details must have (`needs`) and those that they may have, by provider. If a provider has two shapes,
 * the details must fit one of them.
 */
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

const shapesOf = (provider: string): readonly Shape[] => ownProperty(SHAPES, provider) ?? [];

/** Checks that the details fit the provider that the request names. */
export const detailsOfProvider: Requirement = {
  check: ({ provider, details }) => {
    if (typeof provider !== 'string' || typeof details !== 'object' || details === null) return [];
    const given = Object.keys(details);
    const shapes = shapesOf(provider);
    const fits = ({ needs, may = [] }: Shape): boolean =>
      needs.every((name) => given.includes(name)) && given.every((name) => [...needs, ...may].includes(name));
    if (shapes.some(fits)) return [];
    const shapesInWords = shapes.map(({ needs }) => needs.join(', ')).join(' or ');
    const msg =
      shapesInWords === ''
        ? 'There are no details for this provider'
        : `Details for this provider have ${shapesInWords}`;
    return [{ at: ['details'], type: 'value_error', msg }];
  },
  words: 'Details have the shape of the provider; null where it has none.',
};

/**
 * The keys in SECRETS have secret values, wherever they occur. The keys in ALL_SECRET have objects in which every value
 * is secret.
 */
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

/**
 * Returns the details for a response. They have every key of the provider. The value is null if the team has set none,
 * and HIDDEN if it is secret.
 */
export function shownDetails(provider: string, details: Details): Details {
  const shape = shapesOf(provider).find(({ needs }) => needs.every((name) => name in details));
  const absent = Object.fromEntries([...(shape?.needs ?? []), ...(shape?.may ?? [])].map((name) => [name, null]));
  const { fitbit, ...others } = eachSecret(details, () => HIDDEN);
  return { ...absent, ...others, ...(fitbit && { fitbit: { foods_verify_token: null, ...fitbit } }) };
}

/**
 * Returns the details to store. If the request has HIDDEN as a value, the stored secret takes its place. Throws
 * credentials_incomplete if no secret is stored.
 */
export const restoreHidden = (details: Details, stored: Details | null): Details =>
  eachSecret(details, (value, path) => {
    if (value !== HIDDEN) return value;
    const storedText = path.reduce<unknown>(
      (at, name) => (at as Record<string, unknown> | undefined)?.[name],
      stored ?? {},
    );
    if (typeof storedText === 'string') return storedText;
    throw new AppError('credentials_incomplete', `${path.join('.')} is ${HIDDEN}, but no value is stored for it.`);
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
