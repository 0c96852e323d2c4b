// Rules that JSON Schema has no word for. A keyword that names a form also brings the value into it.
import type { Ajv, SchemaValidateFunction } from 'ajv';
import { US_ZIP } from './address.ts';
import { ADULT_AGE_YEARS, ageInYears, isBirthDate, isCalendarDate } from './birth-date.ts';
import { countryName } from './country.ts';
import { e164 } from './phone.ts';
import { isUsState } from './us-state.ts';

export function addKeywords(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: 'phone',
    type: 'string',
    modifying: true,
    errors: true,
    validate: rewriting('value_error', 'Value is not a valid phone number of its country', e164),
  });
  ajv.addKeyword({
    keyword: 'countryName',
    type: 'string',
    modifying: true,
    errors: true,
    validate: rewriting('value_error', 'Value is not a two-letter country code', countryName),
  });
  ajv.addKeyword({ keyword: 'usAddress', type: 'object', errors: true, validate: checkUsAddress });
  ajv.addKeyword({ keyword: 'ascending', type: 'object', errors: true, validate: checkAscending });
  ajv.addKeyword({ keyword: 'minorNeedsProxy', type: 'object', errors: true, validate: checkMinor });
  ajv.addKeyword({ keyword: 'consentsUnlessPhysician', type: 'object', errors: true, validate: checkConsents });
  ajv.addKeyword({ keyword: 'exactlyOne', type: 'object', errors: true, validate: checkExactlyOne });
  ajv.addKeyword({ keyword: 'notTaken', errors: true, validate: checkNotTaken });
  ajv.addKeyword({ keyword: 'together', type: 'object', errors: true, validate: checkTogether });
}

const isUnitedStates = (country: unknown): boolean =>
  typeof country === 'string' && (countryName(country) === 'United States' || country.toUpperCase() === 'USA');

function rewriting(type: string, message: string, rewrite: (text: string) => string | null): SchemaValidateFunction {
  const check: SchemaValidateFunction = (_schema, data: string, _parent, at) => {
    const value = rewrite(data);
    if (value === null) check.errors = [{ keyword: 'form', message, params: { type } }];
    else if (at) at.parentData[at.parentDataProperty] = value;
    return value !== null;
  };
  return check;
}

const checkUsAddress: SchemaValidateFunction = (_schema, data: Record<string, unknown>, _parent, at) => {
  const errors: NonNullable<SchemaValidateFunction['errors']> = [];
  if (isUnitedStates(data['country'])) {
    const path = at?.instancePath ?? '';
    if (typeof data['zip'] === 'string' && !new RegExp(US_ZIP).test(data['zip'])) {
      errors.push({
        keyword: 'form',
        instancePath: `${path}/zip`,
        message: 'String should be a US zip code: 12345 or 12345-6789',
        params: { type: 'string_pattern_mismatch' },
      });
    }
    if (typeof data['state'] === 'string' && !isUsState(data['state'])) {
      errors.push({
        keyword: 'form',
        instancePath: `${path}/state`,
        message: 'Value is not a two-letter US state or territory code',
        params: { type: 'value_error' },
      });
    }
  }
  checkUsAddress.errors = errors;
  return errors.length === 0;
};

/** Two dates of one object, in this order where both are there. */
const checkAscending: SchemaValidateFunction = (
  [first, second]: [string, string],
  data: Record<string, unknown>,
  _parent,
  at,
) => {
  const [from, to] = [data[first], data[second]];
  const wrong =
    typeof from === 'string' && typeof to === 'string' && isCalendarDate(from) && isCalendarDate(to) && from > to;
  checkAscending.errors = wrong
    ? [
        {
          keyword: 'form',
          instancePath: `${at?.instancePath ?? ''}/${second}`,
          message: `Value should not be before ${first}`,
          params: {},
        },
      ]
    : [];
  return !wrong;
};

const checkExactlyOne: SchemaValidateFunction = (names: string[], data: Record<string, unknown>) => {
  const given = names.filter((name) => data[name] !== undefined);
  checkExactlyOne.errors =
    given.length === 1
      ? []
      : [
          {
            keyword: 'form',
            message: `Exactly one of ${names.join(', ')} is needed`,
            params: { type: given.length === 0 ? 'missing' : 'value_error' },
          },
        ];
  return given.length === 1;
};

/** A patient under 18 needs somebody who answers for them. */
const checkMinor: SchemaValidateFunction = (_schema, data: Record<string, unknown>, _parent, at) => {
  const dob = data['dob'];
  const missing =
    typeof dob === 'string' && isBirthDate(dob) && ageInYears(dob) < ADULT_AGE_YEARS && !data['medical_proxy'];
  checkMinor.errors = missing
    ? [
        {
          keyword: 'form',
          instancePath: `${at?.instancePath ?? ''}/medical_proxy`,
          message: 'A patient under 18 needs a medical_proxy',
          params: { type: 'missing' },
        },
      ]
    : [];
  return !missing;
};

const NEEDED_CONSENTS = ['terms-of-use', 'telehealth-informed-consent', 'notice-of-privacy-practices'];

/** Without an ordering physician the service's own network signs, which takes the patient's consent. */
const checkConsents: SchemaValidateFunction = (_schema, data: Record<string, unknown>, _parent, at) => {
  const given = Array.isArray(data['consents'])
    ? data['consents'].map((consent) => (consent as { consentType?: unknown } | null)?.consentType)
    : [];
  const missing = data['physician'] ? [] : NEEDED_CONSENTS.filter((type) => !given.includes(type));
  checkConsents.errors =
    missing.length === 0
      ? []
      : [
          {
            keyword: 'form',
            instancePath: `${at?.instancePath ?? ''}/consents`,
            params: { type: 'missing' },
            message: `Without a physician these consents are needed: ${missing.join(', ')}`,
          },
        ];
  return missing.length === 0;
};

/** Keys that mean nothing without each other: all there or none, where null is as if absent. */
const checkTogether: SchemaValidateFunction = (names: string[], data: Record<string, unknown>, _parent, at) => {
  const lacking = names.filter((name) => data[name] === undefined || data[name] === null);
  const whole = lacking.length === 0 || lacking.length === names.length;
  checkTogether.errors = whole
    ? []
    : lacking.map((name) => ({
        keyword: 'form',
        instancePath: `${at?.instancePath ?? ''}/${name}`,
        message: `Field required together with ${names.filter((other) => other !== name).join(', ')}`,
        params: { type: 'missing' },
      }));
  return whole;
};

/** A key that clients know and this service cannot act on yet: dropping it in silence would lose what it carries. */
const checkNotTaken: SchemaValidateFunction = (instead: string, data: unknown) => {
  checkNotTaken.errors = data === null ? [] : [{ keyword: 'form', message: instead, params: { type: 'value_error' } }];
  return data === null;
};
