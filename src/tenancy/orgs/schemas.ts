import { Type } from 'typebox';
import { nullable, oneOf, Timestamp, Uuid } from '../../wire/schema.ts';
import { OrganisationName } from '../schemas.ts';
import { shape } from '../../wire/shape.ts';
import { PLANS } from '../../plans.ts';

/** The plan of an organisation. The management API needs `scale`. */
export const OrgPlan = shape('OrgPlan', { plan: oneOf(PLANS, { description: 'The plan.' }) });

export const OrgPatch = shape('OrgPatch', { name: OrganisationName });

export const Org = shape('Org', {
  id: Uuid,
  name: Type.String(),
  expires_at: nullable(
    Type.String({ ...Timestamp, description: 'Always null: an organisation ends when its operator ends it.' }),
  ),
});
