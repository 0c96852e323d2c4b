import { Type } from 'typebox';
import { GENDERS } from '../../../wire/person.ts';
import { optional } from '../../../wire/schema.ts';
import { trueOrUnknown, whole, word } from '../fields.ts';
import { measurable, origin } from '../item.ts';
import { PLAIN_BATCH, type SummaryResource } from '../resource.ts';
import { shapeOf } from '../shape.ts';

export const SEXES = ['female', 'male', 'other'] as const;

const fields = {
  height: whole('Height, in centimetres.', 300),
  birth_date: optional(Type.String({ format: 'birth-date', description: 'Date of birth, YYYY-MM-DD.' })),
  wheelchair_use: trueOrUnknown('Whether the person uses a wheelchair; null where it is not known.'),
  gender: word('Gender, as the person says.', GENDERS),
  sex: word('Sex, as the provider has it.', SEXES),
};

/** One profile for each source. A later profile replaces it. */
export const profile: SummaryResource = {
  name: 'profile',
  title: 'Profile',
  path: 'profile',
  one: 'profile',
  many: 'profiles',
  input: Type.Object({ ...origin, ...fields }, { fulfils: measurable({}) }),
  most: PLAIN_BATCH,
  shape: shapeOf(fields),
  sealed: ['birth_date'],
  keyAndTimesOf: () => ({ key: 'profile', calendar_date: null, start_at: null, end_at: null }),
};
