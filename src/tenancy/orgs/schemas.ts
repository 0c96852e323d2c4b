import { Type } from 'typebox';
import { nullable, Timestamp, Uuid } from '../../wire/schema.ts';
import { OrganisationName } from '../schemas.ts';

export const OrgPatch = Type.Object({ name: OrganisationName });

export const Org = Type.Object({
  id: Uuid,
  name: Type.String(),
  expires_at: nullable(
    Type.String({ ...Timestamp, description: 'Always null: an organisation ends when its operator ends it.' }),
  ),
});
