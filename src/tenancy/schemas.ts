import { Type } from 'typebox';
import type { Mismatch } from '../wire/mismatch.ts';
import { oneOf } from '../wire/schema.ts';

export const Environment = oneOf(['production', 'sandbox']);
export const Region = oneOf(['us', 'eu']);

const mismatch: Mismatch = {
  msg: "String should have letters, digits, spaces and ( ) , / : ' | & _ - ’ only: a dot, for one, is not among them",
};

/** Of an organisation, or of a team. */
export const OrganisationName = Type.String({
  maxLength: 80,
  pattern: "^[A-Za-zÀ-ÖØ-öø-ÿ0-9(),/:'|&_\\- ’]*$",
  mismatch,
});

export const Done = Type.Object({ success: Type.Boolean({ description: 'Whether it is done.' }) });
