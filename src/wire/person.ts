import { Type } from 'typebox';
import { oneOf, Text } from './schema.ts';
import { named } from './shape.ts';

/**
 * The pattern of names that laboratories accept. It has a literal space. `\s` would also accept a line break, which
 * would end a segment in an HL7 message and a line in a document.
 */
const NAME_PATTERN = "^[a-zA-Z0-9][a-zA-Z0-9\\-.,']*( [a-zA-Z0-9\\-.,']+)*$";

export const PersonName = Type.String({ minLength: 1, maxLength: 50, pattern: NAME_PATTERN });

/** What a laboratory takes depends on its rules, which are checked when an order names the physician. */
const PHYSICIAN_LENGTHS =
  'Any letters. Laboratories take at most 30 characters of a first and 50 of a last name, ' +
  'unless they state other lengths: a longer one is refused when it is ordered.';

/** A name of a physician. The form that laboratories want of patients' names does not hold for it. */
export const PhysicianName = (which: 'Given' | 'Family') =>
  Text(100, { description: `${which} name of the physician. ${PHYSICIAN_LENGTHS}` });

export const GENDERS = ['female', 'male', 'other', 'unknown'] as const;
export const Gender = named('Gender', oneOf(GENDERS));

/** A possible date of birth: a date that exists, not in the future, and at most 130 years ago. */
export const BirthDate = Type.String({ format: 'birth-date' });

export const Email = Type.String({ format: 'email' });

/** A phone number that is valid in its country (without a country code: US). We store and return it as E.164. */
export const PhoneNumber = Type.String({ format: 'phone' });

/** A National Provider Identifier: ten digits. The last is a Luhn check digit over `80840` and the number. */
export const Npi = Type.String({ format: 'npi' });

export const Race = named(
  'Race',
  oneOf([
    'african_american_or_black',
    'asian',
    'indigenous_native_american_alaska_native',
    'other',
    'pacific_islander_or_hawaiian',
    'white_caucasian',
  ]),
);
export const Ethnicity = named('Ethnicity', oneOf(['hispanic', 'non_hispanic', 'ashkenazi_jewish', 'other']));
export const SexualOrientation = named(
  'SexualOrientation',
  oneOf(['lesbian_gay_or_homosexual', 'heterosexual_or_straight', 'bisexual', 'dont_know', 'other']),
);
export const GenderIdentity = named(
  'GenderIdentity',
  oneOf([
    'male',
    'female',
    'female_to_male_ftm_transgender_male_trans_man',
    'male_to_female_mtf_transgender_female_trans_woman',
    'genderqueer',
    'other',
  ]),
);
