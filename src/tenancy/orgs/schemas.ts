import { Type } from 'typebox';
import { nullable, Timestamp, Uuid } from '../../wire/schema.ts';
import { OrganisationName } from '../schemas.ts';
import { shape } from '../../wire/shape.ts';

export const OrgPatch = shape('OrgPatch', { name: OrganisationName });

export const Org = shape('Org', {
  id: Uuid,
  name: Type.String(),
  expires_at: nullable(
    Type.String({ ...Timestamp, description: 'Always null: an organisation ends when its operator ends it.' }),
  ),
});
