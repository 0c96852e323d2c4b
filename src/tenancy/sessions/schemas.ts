import { Type } from 'typebox';
import { PLANS } from '../../plans.ts';
import { nullable, oneOf, Timestamp, Uuid } from '../../wire/schema.ts';
import { shape } from '../../wire/shape.ts';
import { Environment, MemberRole, Region } from '../schemas.ts';

/** The most teams that a session shows. The dashboard finds others by GET /v1/org/{org_id}/team. */
export const MAX_TEAMS_SHOWN = 200;

const signedInPerson = {
  kind: oneOf(['member', 'operator'], {
    description: 'operator: whoever runs the deployment. Everybody else is a member, also a person of an EHR.',
  }),
  member_id: nullable(Type.String({ format: 'uuid', description: 'The id of the member. Null for the operator.' })),
  name: Type.String(),
  email: nullable(Type.String({ description: 'The email address of the member. Null for the operator.' })),
  role: MemberRole,
};

export const SessionDetails = shape('SessionDetails', {
  session: Type.Object(
    {
      id: Uuid,
      created_at: Timestamp,
      expires_at: Timestamp,
      csrf_token: Type.String({ description: 'The value of the header x-csrf-token for requests other than GET.' }),
    },
    { description: 'The session of the cookie.' },
  ),
  person: Type.Object(signedInPerson, { description: 'Who is signed in.' }),
  org: Type.Object(
    { id: Uuid, name: Type.String(), plan: oneOf(PLANS, { description: 'The plan.' }) },
    { description: 'The organisation to which the person is signed in.' },
  ),
  teams: Type.Array(Type.Object({ id: Uuid, name: Type.String() }), {
    description: `The teams that the person manages, by name, at most ${MAX_TEAMS_SHOWN}.`,
  }),
  has_more_teams: Type.Boolean({ description: 'Whether the person manages more teams than these.' }),
  environment: Environment,
  region: Region,
});
