import { Type } from 'typebox';
import { Email } from '../../wire/person.ts';
import { nullable, oneOf, Text, Uuid } from '../../wire/schema.ts';
import type { Requirement } from '../../wire/rules.ts';
import { Bindings, TeamRoleBinding } from '../role-bindings.ts';
import { Environment } from '../schemas.ts';
import { shape } from '../../wire/shape.ts';

const MAX_ORIGINS = 20;

const MODALITIES = ['feature_embed', 'link_out'] as const;
const Modality = oneOf(MODALITIES, {
  description: 'feature_embed: a page inside a page of the EHR; link_out: a page of its own.',
});
const IntegrationMemberId = Type.String({
  minLength: 1,
  maxLength: 256,
  format: 'reference',
  description: "The EHR's own id of the person.",
});
const MemberId = Type.String({ format: 'uuid', description: 'The id of the member.' });
const TeamsOfPerson = Bindings({ description: 'The teams that the person can open. Null or empty: none yet.' });
const Avatar = Type.String({
  format: 'http-url',
  maxLength: 2083,
  description: 'The address of a picture of the person.',
});

export const EhrMember = shape('EhrMember', {
  id: Uuid,
  integration_member_id: Type.String({ description: "The EHR's own id of the person." }),
  name: Type.String(),
  email: Type.String(),
  avatar: nullable(Type.String({ description: 'The address of a picture of the person.' })),
  team_role_bindings: nullable(Type.Array(TeamRoleBinding, { description: 'The teams that the person can open.' })),
});
export const EhrMemberPage = shape('EhrMemberPage', {
  data: Type.Array(EhrMember),
  next_cursor: nullable(Type.String()),
});
export const EhrMemberInput = shape('EhrMemberInput', {
  integration_member_id: IntegrationMemberId,
  name: Text(100),
  email: Email,
  avatar: Type.Optional(nullable(Avatar)),
  team_role_bindings: Type.Optional(nullable(TeamsOfPerson)),
});
export const EhrMemberPatch = shape('EhrMemberPatch', {
  name: Type.Optional(nullable(Text(100))),
  email: Type.Optional(nullable(Email)),
  avatar: Type.Optional(nullable(Avatar)),
  team_role_bindings: Type.Optional(nullable(TeamsOfPerson)),
});
/** Further properties of the error response, next to `detail`, if another person already has the id. */
export const IntegrationMemberIDConflictResponse = shape('IntegrationMemberIDConflictResponse', {
  member_id: Type.String({ format: 'uuid', description: 'The member that already has the integration_member_id.' }),
});
export const EhrMemberReference = shape('EhrMemberReference', { integration_member_id: IntegrationMemberId });

const originConfig = {
  /** Matches an origin. We insert it into a Content-Security-Policy, so it may have only scheme, host and port. */
  origin: Type.String({
    maxLength: 300,
    pattern: '^https://[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?$',
    description: 'The origin of an EHR page that can embed our pages, such as https://ehr.example.com.',
  }),
  session_continuation_url: Type.Optional(
    nullable(
      Type.String({
        format: 'http-url',
        maxLength: 2083,
        description: 'The address where that page gets a new link when one has ended. Stored for the dashboard.',
      }),
    ),
  ),
};
export const EhrConfigurationInput = shape('EhrConfigurationInput', {
  slug: Type.String({
    minLength: 3,
    maxLength: 63,
    pattern: '^[a-z0-9][a-z0-9-]*$',
    description: 'The name of the integration, unique in the deployment.',
  }),
  modalities: Type.Array(Modality, { maxItems: MODALITIES.length, description: 'The ways to open pages.' }),
  origin_configs: Type.Array(Type.Object(originConfig), {
    maxItems: MAX_ORIGINS,
    description: 'The EHR pages that can embed our pages.',
  }),
});
export const EhrConfiguration = shape('EhrConfiguration', {
  slug: Type.String({ description: 'The name of the integration.' }),
  modalities: Type.Array(Modality, { description: 'The ways to open pages.' }),
  origin_configs: Type.Array(
    Type.Object({
      origin: Type.String({ description: 'The origin of an EHR page.' }),
      session_continuation_url: nullable(Type.String({ description: 'The address where that page gets a new link.' })),
    }),
    { description: 'The EHR pages that can embed our pages.' },
  ),
});

type Breaches = ReturnType<Requirement['check']>;
const MEMBER_NEEDED: Breaches[number] = {
  at: ['member_id'],
  type: 'missing',
  msg: 'One of member_id, integration_member_id is required',
};
const oneAtMost = (value: Record<string, unknown>, one: string, other: string): Breaches =>
  (value[one] ?? null) !== null && (value[other] ?? null) !== null
    ? [{ at: [other], type: 'value_error', msg: `At most one of ${one}, ${other} may be sent` }]
    : [];

export const FEATURES = ['home', 'users', 'orders', 'results'] as const;

export const DashboardUrlInput = shape(
  'DashboardUrlInput',
  {
    member_id: Type.Optional(nullable(MemberId)),
    integration_member_id: Type.Optional(nullable(IntegrationMemberId)),
    team_id: Type.Optional(nullable(Uuid)),
    integration_team_id: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 256, format: 'reference' }))),
    feature: Type.String({
      minLength: 1,
      maxLength: 100,
      description: `The part of the dashboard: ${FEATURES.join(', ')}.`,
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
        'Exactly one of `member_id` and `integration_member_id` is required, and at most one of `team_id` ' +
        'and `integration_team_id` is allowed.',
    } satisfies Requirement,
  },
);
export const DashboardUrl = shape('DashboardUrl', {
  url: Type.String({ description: "The address for the person's browser." }),
  expires_in: Type.Integer({ description: 'Seconds until the link ends.' }),
});
