import { Type } from 'typebox';
import { oneOf } from '../wire/schema.ts';

export const Environment = oneOf(['production', 'sandbox']);
export const Region = oneOf(['us', 'eu']);

/** Of an organisation, or of a team. */
export const OrganisationName = Type.String({
  maxLength: 80,
  pattern: "^[A-Za-zÀ-ÖØ-öø-ÿ0-9(),/:'|&_\\- ’]*$",
});

export const Done = Type.Object({ success: Type.Boolean({ description: 'Whether it is done.' }) });
