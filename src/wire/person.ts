import { Type } from 'typebox';
import { oneOf, Text } from './schema.ts';

/**
 * What laboratories accept as a name. The space is literal: `\s` would let a line break through,
 * which ends a segment in HL7 messages and a line in documents.
 */
const NAME_PATTERN = "^[a-zA-Z0-9][a-zA-Z0-9\\-.,']*( [a-zA-Z0-9\\-.,']+)*$";

export const PersonName = Type.String({ minLength: 1, maxLength: 50, pattern: NAME_PATTERN });

/** Physicians are not patients: their names go onto documents only. */
export const PhysicianName = Text(100);

export const GENDERS = ['female', 'male', 'other', 'unknown'] as const;
export const Gender = oneOf(GENDERS);

/** A day that can be somebody's date of birth: real, not in the future, at most 130 years ago. */
export const BirthDate = Type.String({ format: 'birth-date' });

export const Email = Type.String({ format: 'email' });

/** Possible and valid for its country (without a country code: US); kept and answered as E.164. */
export const PhoneNumber = Type.String({ format: 'phone' });

/** National Provider Identifier: ten digits with the Luhn check digit over `80840` and the number. */
export const Npi = Type.String({ format: 'npi' });

export const Race = oneOf([
  'african_american_or_black',
  'asian',
  'indigenous_native_american_alaska_native',
  'other',
  'pacific_islander_or_hawaiian',
  'white_caucasian',
]);
export const Ethnicity = oneOf(['hispanic', 'non_hispanic', 'ashkenazi_jewish', 'other']);
export const SexualOrientation = oneOf([
  'lesbian_gay_or_homosexual',
  'heterosexual_or_straight',
  'bisexual',
  'dont_know',
  'other',
]);
export const GenderIdentity = oneOf([
  'male',
  'female',
  'female_to_male_ftm_transgender_male_trans_man',
  'male_to_female_mtf_transgender_female_trans_woman',
  'genderqueer',
  'other',
]);
