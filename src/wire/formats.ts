import type { Ajv, SchemaValidateFunction } from 'ajv';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { US_ZIP } from './address.ts';
import { countryName } from './country.ts';

const US_STATES = new Set(('AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND '
  + 'OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR GU VI AS MP AA AE AP').split(' '));

const OLDEST_AGE_YEARS = 130;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// RFC 5321's limits with the characters of a dot-atom: what mail servers really take.
const EMAIL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;

/** A day of the calendar, so not 30 February. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match || match[1] === '0000') return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The future begins where no place on earth has that day yet (UTC+14). */
export function isBirthDate(text: string, now = Date.now()): boolean {
  if (!isCalendarDate(text)) return false;
  const latest = new Date(now + 14 * 3_600_000).toISOString().slice(0, 10);
  const oldest = `${Number(latest.slice(0, 4)) - OLDEST_AGE_YEARS}${latest.slice(4)}`;
  return text <= latest && text >= oldest;
}

/** CMS: the Luhn check digit is taken over the prefix 80840 and the ten digits. */
export function isNpi(text: string): boolean {
  if (!/^\d{10}$/.test(text)) return false;
  const sum = [...`80840${text}`].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

export function isTimeZone(text: string): boolean {
  try {
    return /^[A-Za-z]/.test(text) && Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));
  } catch {
    return false;
  }
}

/** The number in E.164, or null where it is not a possible and valid one. */
export function e164(text: string): string | null {
  const phone = parsePhoneNumberFromString(text, 'US');
  return phone?.isPossible() && phone.isValid() && phone.ext === undefined ? phone.number : null;
}

function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/.exec(text);
  return match !== null && isCalendarDate(match[1] as string)
    && Number(match[2] ?? 0) < 24 && Number(match[3] ?? 0) < 60 && Number(match[4] ?? 0) < 60;
}

const isUnitedStates = (country: unknown): boolean =>
  typeof country === 'string' && (countryName(country) === 'United States' || country.toUpperCase() === 'USA');

/** Teaches `ajv` the formats of the domain; keywords that name a form also bring the value into it. */
export function addFormats(ajv: Ajv): void {
  ajv.addFormat('uuid', UUID);
  ajv.addFormat('email', EMAIL);
  ajv.addFormat('date', isCalendarDate);
  ajv.addFormat('date-time', isDateTime);
  ajv.addFormat('birth-date', (text: string) => isBirthDate(text));
  ajv.addFormat('npi', isNpi);
  ajv.addFormat('time-zone', isTimeZone);
  ajv.addFormat('us-state', (text: string) => US_STATES.has(text));
  ajv.addKeyword({
    keyword: 'phone', type: 'string', modifying: true, errors: true,
    validate: rewriting('value_error', 'Value is not a valid phone number of its country', e164),
  });
  ajv.addKeyword({
    keyword: 'countryName', type: 'string', modifying: true, errors: true,
    validate: rewriting('value_error', 'Value is not a two-letter country code', countryName),
  });
  ajv.addKeyword({ keyword: 'usAddress', type: 'object', errors: true, validate: checkUsAddress });
  ajv.addKeyword({ keyword: 'ascending', type: 'object', errors: true, validate: checkAscending });
  ajv.addKeyword({ keyword: 'exactlyOne', type: 'object', errors: true, validate: checkExactlyOne });
}

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
      errors.push({ keyword: 'form', instancePath: `${path}/zip`, message: 'String should be a US zip code: 12345 or 12345-6789', params: { type: 'string_pattern_mismatch' } });
    }
    if (typeof data['state'] === 'string' && !US_STATES.has(data['state'])) {
      errors.push({ keyword: 'form', instancePath: `${path}/state`, message: 'Value is not a two-letter US state or territory code', params: { type: 'value_error' } });
    }
  }
  checkUsAddress.errors = errors;
  return errors.length === 0;
};

/** Two dates of one object, in this order where both are there. */
const checkAscending: SchemaValidateFunction = ([first, second]: [string, string], data: Record<string, unknown>, _parent, at) => {
  const [from, to] = [data[first], data[second]];
  const wrong = typeof from === 'string' && typeof to === 'string' && from > to;
  checkAscending.errors = wrong
    ? [{ keyword: 'form', instancePath: `${at?.instancePath ?? ''}/${second}`, message: `Value should not be before ${first}`, params: {} }]
    : [];
  return !wrong;
};

const checkExactlyOne: SchemaValidateFunction = (names: string[], data: Record<string, unknown>) => {
  const given = names.filter((name) => data[name] !== undefined);
  checkExactlyOne.errors = given.length === 1
    ? []
    : [{ keyword: 'form', message: `Exactly one of ${names.join(', ')} is needed`, params: { type: given.length === 0 ? 'missing' : 'value_error' } }];
  return given.length === 1;
};
