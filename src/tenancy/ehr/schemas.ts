import { Type } from 'typebox';
import { Email } from '../../wire/person.ts';
import { nullable, oneOf, Text, Uuid } from '../../wire/schema.ts';
import type { Requirement } from '../../wire/rules.ts';
import { Bindings, TeamRoleBinding } from '../role-bindings.ts';
import { Environment } from '../schemas.ts';

const MOST_ORIGINS = 20;

export const MODALITIES = ['feature_embed', 'link_out'] as const;
const Modality = oneOf(MODALITIES, {
  description: 'feature_embed: a page within a page of the EHR; link_out: a page by itself.',
});
const IntegrationMemberId = Type.String({
  minLength: 1,
  maxLength: 256,
  format: 'reference',
  description: "The EHR's own id of the person.",
});
const MemberId = Type.String({ format: 'uuid', description: 'Id of the member.' });
const TeamsOfPerson = Bindings({ description: 'The teams that the person may open; null or none: no team yet.' });
const Avatar = Type.String({ format: 'http-url', maxLength: 2083, description: 'Address of a picture of the person.' });

export const EhrMember = Type.Object({
  id: Uuid,
  integration_member_id: Type.String({ description: "The EHR's own id of the person." }),
  name: Type.String(),
  email: Type.String(),
  avatar: nullable(Type.String({ description: 'Address of a picture of the person.' })),
  team_role_bindings: nullable(Type.Array(TeamRoleBinding, { description: 'The teams that the person may open.' })),
});
export const EhrMemberPage = Type.Object({ data: Type.Array(EhrMember), next_cursor: nullable(Type.String()) });
export const EhrMemberInput = Type.Object({
  integration_member_id: IntegrationMemberId,
  name: Text(100),
  email: Email,
  avatar: Type.Optional(nullable(Avatar)),
  team_role_bindings: Type.Optional(nullable(TeamsOfPerson)),
});
export const EhrMemberPatch = Type.Object({
  name: Type.Optional(nullable(Text(100))),
  email: Type.Optional(nullable(Email)),
  avatar: Type.Optional(nullable(Avatar)),
  team_role_bindings: Type.Optional(nullable(TeamsOfPerson)),
});
/** What is said beside `detail` where another person has the reference. */
export const IntegrationMemberIDConflictResponse = Type.Object({
  member_id: Type.String({ format: 'uuid', description: 'The member that has the integration_member_id already.' }),
});
export const EhrMemberReference = Type.Object({ integration_member_id: IntegrationMemberId });

const originConfig = {
  /** Nothing but scheme, host and port: it stands in the policy of pages. */
  origin: Type.String({
    maxLength: 300,
    pattern: '^https://[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?$',
    description: 'Origin of a page of the EHR that may show ours within itself, as https://ehr.example.com.',
  }),
  session_continuation_url: Type.Optional(
    nullable(
      Type.String({
        format: 'http-url',
        maxLength: 2083,
        description: 'Where that page gets another link when one has ended; kept for the dashboard.',
      }),
    ),
  ),
};
export const EhrConfigurationInput = Type.Object({
  slug: Type.String({
    minLength: 3,
    maxLength: 63,
    pattern: '^[a-z0-9][a-z0-9-]*$',
    description: 'Name of the integration, which nobody else in the deployment has.',
  }),
  modalities: Type.Array(Modality, { maxItems: MODALITIES.length, description: 'How pages may be opened.' }),
  origin_configs: Type.Array(Type.Object(originConfig), {
    maxItems: MOST_ORIGINS,
    description: 'The pages of the EHR that may show ours within themselves.',
  }),
});
export const EhrConfiguration = Type.Object({
  slug: Type.String({ description: 'Name of the integration.' }),
  modalities: Type.Array(Modality, { description: 'How pages may be opened.' }),
  origin_configs: Type.Array(
    Type.Object({
      origin: Type.String({ description: 'Origin of a page of the EHR.' }),
      session_continuation_url: nullable(Type.String({ description: 'Where that page gets another link.' })),
    }),
    { description: 'The pages of the EHR that may show ours within themselves.' },
  ),
});

type Breaches = ReturnType<Requirement['check']>;
const MEMBER_NEEDED: Breaches[number] = {
  at: ['member_id'],
  type: 'missing',
  msg: 'One of member_id, integration_member_id is needed',
};
const oneAtMost = (value: Record<string, unknown>, one: string, other: string): Breaches =>
  (value[one] ?? null) !== null && (value[other] ?? null) !== null
    ? [{ at: [other], type: 'value_error', msg: `At most one of ${one}, ${other} may be sent` }]
    : [];

export const FEATURES = ['home', 'users', 'orders', 'results'] as const;

export const DashboardUrlInput = Type.Object(
  {
    member_id: Type.Optional(nullable(MemberId)),
    integration_member_id: Type.Optional(nullable(IntegrationMemberId)),
    team_id: Type.Optional(nullable(Uuid)),
    integration_team_id: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 256, format: 'reference' }))),
    feature: Type.String({
      minLength: 1,
      maxLength: 100,
      description: `Which part of the dashboard: ${FEATURES.join(', ')}.`,
    }),
    modality: Modality,
    environment: Environment,
  },
  {
    fulfils: {
      check: (value) => [
        ...oneAtMost(value, 'team_id', 'integration_team_id'),
        ...oneAtMost(value, 'member_id', 'integration_member_id'),
        ...((value['member_id'] ?? value['integration_member_id']) ? [] : [MEMBER_NEEDED]),
      ],
      words:
        'Exactly one of `member_id` and `integration_member_id` is needed, and at most one of `team_id` and `integration_team_id`.',
    } satisfies Requirement,
  },
);
export const DashboardUrl = Type.Object({
  url: Type.String({ description: 'Where to send the browser of the person.' }),
  expires_in: Type.Integer({ description: 'Seconds until it opens nothing any more.' }),
});
