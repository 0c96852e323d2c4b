import { Type } from 'typebox';
import type { Mismatch } from '../wire/mismatch.ts';
import { oneOf } from '../wire/schema.ts';
import { named, shape } from '../wire/shape.ts';

export const Environment = named('Environment', oneOf(['production', 'sandbox']));
export const Region = named('Region', oneOf(['us', 'eu']));
export const MemberRole = named(
  'MemberRole',
  oneOf(['org_admin', 'team_admin', 'no_role'], {
    description:
      'org_admin: manages the organisation; team_admin: manages the named teams; no_role: is a member and ' +
      'manages nothing.',
  }),
);

const mismatch: Mismatch = {
  msg: "String should have only letters, digits, spaces and ( ) , / : ' | & _ - ’. A dot is not allowed, for example",
};

/** The schema for the name of an organisation or team. */
export const OrganisationName = Type.String({
  maxLength: 80,
  pattern: "^[A-Za-zÀ-ÖØ-öø-ÿ0-9(),/:'|&_\\- ’]*$",
  mismatch,
});

export const Done = shape('Done', { success: Type.Boolean({ description: 'True when it is done.' }) });
