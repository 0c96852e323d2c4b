import { US_ZIP } from './address.ts';
import { ADULT_AGE_YEARS, ageInYears, isBirthDate, isCalendarDate } from './birth-date.ts';
import { isUnitedStates } from './country.ts';
import { isWithin, MAX_PIXELS, readImageHeader } from './image/image-header.ts';
import { defineRule, type Breach } from './rule.ts';
import { isUsState } from './us-state.ts';

const quoted = (names: string[], link: string): string => names.map((name) => `\`${name}\``).join(link);
const zip = new RegExp(US_ZIP);
const NEEDED_CONSENTS = ['terms-of-use', 'telehealth-informed-consent', 'notice-of-privacy-practices'];

const usAddress = defineRule<true>({
  keyword: 'usAddress',
  check: (_, address) => {
    const breaches: Breach[] = [];
    if (typeof address['country'] !== 'string' || !isUnitedStates(address['country'])) return breaches;
    if (typeof address['zip'] === 'string' && !zip.test(address['zip'])) {
      breaches.push({
        at: ['zip'],
        type: 'string_pattern_mismatch',
        msg: 'String should be a US zip code: 12345 or 12345-6789',
      });
    }
    if (typeof address['state'] === 'string' && !isUsState(address['state'])) {
      breaches.push({
        at: ['state'],
        type: 'value_error',
        msg: 'Value is not a two-letter US state or territory code',
      });
    }
    return breaches;
  },
  words: () => 'In the United States `state` is a two-letter code and `zip` is 12345 or 12345-6789.',
});

/** A rule that only one schema has. The schema contains the check itself, and the rule's sentence for the reference. */
export type Requirement = {
  check: (value: Record<string, unknown>) => Breach[];
  words: string;
};

const fulfils = defineRule<Requirement>({
  keyword: 'fulfils',
  check: (requirement, value) => requirement.check(value),
  words: ({ words }) => words,
});

/** Two dates of one object must be in this order, if both are present. */
const ascending = defineRule<[first: string, second: string]>({
  keyword: 'ascending',
  check: ([first, second], value) => {
    const [from, to] = [value[first], value[second]];
    const wrong =
      typeof from === 'string' && typeof to === 'string' && isCalendarDate(from) && isCalendarDate(to) && from > to;
    return wrong ? [{ at: [second], type: 'value_error', msg: `Value should not be before ${first}` }] : [];
  },
  words: (names) => `${quoted(names, ' must not be after ')}.`,
});

const exactlyOne = defineRule<string[]>({
  keyword: 'exactlyOne',
  check: (names, value) => {
    const given = names.filter((name) => value[name] !== undefined).length;
    if (given === 1) return [];
    return [
      { at: [], type: given === 0 ? 'missing' : 'value_error', msg: `Exactly one of ${names.join(', ')} is needed` },
    ];
  },
  words: (names) => `Exactly one of ${quoted(names, ', ')} is needed.`,
});

/** Keys that belong together: either all are present or none. Null means that a key is missing. */
const together = defineRule<string[]>({
  keyword: 'together',
  check: (names, value) => {
    const lacking = names.filter((name) => value[name] === undefined || value[name] === null);
    if (lacking.length === names.length) return [];
    return lacking.map((name) => ({
      at: [name],
      type: 'missing',
      msg: `Field required together with ${names.filter((other) => other !== name).join(', ')}`,
    }));
  },
  words: (names) => `${quoted(names, ' and ')} belong together: send all or none.`,
});

/**
 * If the insured person is not the patient, the request needs all details of that person, because the record contains
 * them.
 */
const insuredUnlessSelf = defineRule<true>({
  keyword: 'insuredUnlessSelf',
  check: (_, { responsible_relationship, responsible_details }) => {
    if (responsible_relationship === 'Self' || responsible_relationship === undefined) return [];
    const details = responsible_details as Record<string, unknown> | null | undefined;
    const at = (...names: string[]): Breach => ({
      at: ['responsible_details', ...names],
      type: 'missing',
      msg: 'Field required where the patient is not the insured',
    });
    if (!details) return [at()];
    return ['gender', 'dob', 'email'].filter((name) => details[name] === undefined).map((name) => at(name));
  },
  words: () =>
    'Where the patient is not the insured, `responsible_details` with `gender`, `dob` and `email` is needed.',
});

/** A patient under 18 needs an adult who acts for the patient. */
const minorNeedsProxy = defineRule<true>({
  keyword: 'minorNeedsProxy',
  check: (_, { dob, medical_proxy }) =>
    typeof dob === 'string' && isBirthDate(dob) && ageInYears(dob) < ADULT_AGE_YEARS && !medical_proxy
      ? [{ at: ['medical_proxy'], type: 'missing', msg: 'A patient under 18 needs a medical_proxy' }]
      : [],
  words: () => 'A patient under 18 needs a `medical_proxy`.',
});

/**
 * If the request names no ordering physician, a physician of our network signs the order. That needs the patient's
 * consent.
 */
const consentsUnlessPhysician = defineRule<true>({
  keyword: 'consentsUnlessPhysician',
  check: (_, { physician, consents }) => {
    const given = Array.isArray(consents)
      ? consents.map((consent) => (consent as { consentType?: unknown } | null)?.consentType)
      : [];
    const missing = physician ? [] : NEEDED_CONSENTS.filter((type) => !given.includes(type));
    if (missing.length === 0) return [];
    return [
      {
        at: ['consents'],
        type: 'missing',
        msg: `Without a physician these consents are needed: ${missing.join(', ')}`,
      },
    ];
  },
  words: () => `Without a \`physician\` the consents ${NEEDED_CONSENTS.join(', ')} are needed.`,
});

/** The base64 text must be a PNG or JPEG image that is not too large. Its bytes must match its content_type. */
const image = defineRule<true>({
  keyword: 'image',
  check: (_, { content, content_type }) => {
    if (typeof content !== 'string') return [];
    const header = readImageHeader(Buffer.from(content, 'base64'));
    const wrong = (name: string, msg: string): Breach[] => [{ at: [name], type: 'value_error', msg }];
    if (header === null) return wrong('content', 'Value is not a PNG or JPEG image');
    if (!isWithin(header, MAX_PIXELS)) {
      return wrong('content', `An image can have at most ${MAX_PIXELS / 1_000_000} million pixels`);
    }
    const isDeclared = content_type === 'image/png' || content_type === 'image/jpeg';
    return isDeclared && content_type !== header.content_type
      ? wrong('content_type', `The bytes are those of ${header.content_type}`)
      : [];
  },
  words: () => `A PNG or JPEG image of at most ${MAX_PIXELS / 1_000_000} million pixels. Its bytes must match.`,
});

/** A key or member with the role `team_admin` must name its teams. With any other role it must name none. */
const boundByRole = defineRule<true>({
  keyword: 'boundByRole',
  check: (_, { role, team_role_bindings: bindings }) => {
    if (role === 'team_admin' && (bindings === undefined || bindings === null)) {
      return [{ at: ['team_role_bindings'], type: 'missing', msg: 'A team_admin needs the teams to manage' }];
    }
    if ((role !== 'org_admin' && role !== 'no_role') || !Array.isArray(bindings)) return [];
    return [{ at: ['team_role_bindings'], type: 'value_error', msg: 'Only a team_admin can have teams to manage' }];
  },
  words: () => '`team_role_bindings` is needed with `team_admin` and refused with any other role.',
});

/** Every rule that a schema can name. */
export const RULES = [
  usAddress,
  ascending,
  exactlyOne,
  together,
  insuredUnlessSelf,
  minorNeedsProxy,
  consentsUnlessPhysician,
  boundByRole,
  image,
  fulfils,
];
