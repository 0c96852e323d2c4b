import type { Ajv } from 'ajv';
import { isUuid } from '../ids.ts';
import { isBirthDate, isCalendarDate } from './birth-date.ts';
import { domesticCountry } from './country.ts';
import { defineFormat, acceptIf, type Format } from './format.ts';
import { firstMoment, futureMoment, lastMoment, pastMoment } from './moment.ts';
import { domainName } from './forms/domain-name.ts';
import { isEmail, LONGEST_EMAIL } from './forms/email.ts';
import { isNpi } from './forms/npi.ts';
import { e164 } from './forms/phone.ts';
import { hasPlainHost, isPlainText, isReference, MAX_LINES, proseOrNull, urlOrNull, wordsOf } from './text.ts';
import { timeZone } from './time-zone.ts';
import { isUsState } from './us-state.ts';

const MAX_WORDS = 8;
const MOMENT_PROBLEM = ['datetime_parsing', 'Input should be a date and time as ISO 8601'] as const;

/** Returns true for an absolute http URL without credentials and fragment. Endpoints must have such a URL. */
function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /[\p{Cc}\s#]/u.test(text)) return false;
  const url = urlOrNull(text);
  return url !== null && url.username === '' && url.password === '';
}

/**
 * Returns true for a URL that browsers open. We write its origin into headers of our pages, so its host must have no
 * special characters.
 */
function isPageUrl(text: string): boolean {
  const url = isHttpUrl(text) ? urlOrNull(text) : null;
  return url !== null && hasPlainHost(url);
}

/** Every text format that a schema can name. */
export const FORMATS: readonly Format[] = [
  defineFormat({
    name: 'uuid',
    longest: 36,
    check: (text) => (isUuid(text) ? text.toLowerCase() : null),
    problem: ['uuid_parsing', 'Input should be a valid UUID'],
    schema: { format: 'uuid' },
  }),
  defineFormat({
    name: 'email',
    longest: LONGEST_EMAIL,
    check: acceptIf(isEmail),
    problem: ['value_error', 'Value is not a valid email address'],
    schema: { format: 'email', maxLength: LONGEST_EMAIL },
  }),
  defineFormat({
    name: 'date',
    longest: 10,
    check: acceptIf(isCalendarDate),
    problem: ['date_parsing', 'Input should be a real date as YYYY-MM-DD'],
    schema: { format: 'date' },
  }),
  defineFormat({
    name: 'date-time',
    longest: 40,
    check: firstMoment,
    problem: MOMENT_PROBLEM,
    schema: { format: 'date-time' },
  }),
  defineFormat({
    name: 'lower-bound',
    longest: 40,
    check: firstMoment,
    problem: MOMENT_PROBLEM,
    schema: {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date' },
      ],
    },
    note: 'Without an offset: UTC. A date alone is its first moment. A + in a query is written %2B.',
  }),
  defineFormat({
    name: 'upper-bound',
    longest: 40,
    check: lastMoment,
    problem: MOMENT_PROBLEM,
    schema: {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date' },
      ],
    },
    note: 'Without an offset: UTC. A date alone is its last moment. A + in a query is written %2B.',
  }),
  defineFormat({
    name: 'past-moment',
    longest: 40,
    check: (text) => pastMoment(text),
    problem: ['datetime_parsing', 'Input should be a date and time as ISO 8601 that is not in the future'],
    schema: {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date' },
      ],
    },
    note: 'Without an offset: UTC. At most 5 minutes ahead.',
  }),
  defineFormat({
    name: 'future-moment',
    longest: 40,
    check: (text) => futureMoment(text),
    problem: ['datetime_parsing', 'Input should be a date and time as ISO 8601 in the future, within 10 years'],
    schema: {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date' },
      ],
    },
    note: 'Without an offset: UTC. A date alone is its last moment. In the future, and within 10 years.',
  }),
  defineFormat({
    name: 'birth-date',
    longest: 10,
    check: acceptIf((text) => isBirthDate(text)),
    problem: [
      'date_parsing',
      'Input should be a real date as YYYY-MM-DD, not in the future and not over 130 years ago',
    ],
    schema: { format: 'date' },
    note: 'Not in the future, and at most 130 years ago.',
  }),
  defineFormat({
    name: 'npi',
    longest: 10,
    check: acceptIf(isNpi),
    problem: ['value_error', 'Value is not an NPI: ten digits with a valid check digit'],
    schema: { pattern: '^\\d{10}$' },
    note: 'A National Provider Identifier: ten digits, the last of which checks the others.',
  }),
  defineFormat({
    name: 'phone',
    longest: 40,
    check: e164,
    problem: ['value_error', 'Value is not a valid phone number of its country'],
    schema: { maxLength: 40 },
    note:
      'A valid phone number of its country. Without a country code it is a number of the United ' +
      'States. We store and return it as E.164.',
  }),
  defineFormat({
    name: 'time-zone',
    longest: 64,
    check: timeZone,
    problem: ['value_error', 'Value is not an IANA time zone, as America/Phoenix'],
    schema: { maxLength: 64 },
    note: 'A time zone of the IANA database, in any case.',
  }),
  defineFormat({
    name: 'us-state',
    longest: 2,
    check: acceptIf(isUsState),
    problem: ['value_error', 'Value is not a two-letter US state or territory code'],
    schema: { pattern: '^[A-Z]{2}$' },
    note: 'Two-letter code of a state or territory of the United States.',
  }),
  defineFormat({
    name: 'domestic-country',
    longest: 100,
    check: domesticCountry,
    problem: ['value_error', 'Value is not the United States or a territory of them, by code or English name'],
    schema: { maxLength: 100 },
    note:
      'The United States or one of its territories, to which orders ship: two-letter code or English name. Answers ' +
      'return the full name.',
  }),
  defineFormat({
    name: 'domain-name',
    longest: 254,
    check: domainName,
    problem: ['value_error', 'Value is not a domain name, as example.com'],
    schema: { maxLength: 254 },
    note: 'A domain name of two labels or more. We store it in lower case, with international letters as xn--.',
  }),
  defineFormat({
    name: 'http-url',
    longest: 2083,
    check: acceptIf(isHttpUrl),
    problem: ['url_parsing', 'Input should be an http or https address without credentials and fragment'],
    schema: { format: 'uri' },
    note: 'An http or https address without credentials and fragment.',
  }),
  defineFormat({
    name: 'page-url',
    longest: 2083,
    check: acceptIf(isPageUrl),
    problem: [
      'url_parsing',
      'Input should be an http or https address without credentials and fragment, its host of letters, ' +
        'digits, dots and hyphens',
    ],
    schema: { format: 'uri' },
    note:
      'An http or https address without credentials and fragment, whose host has letters, digits, dots and ' +
      'hyphens only.',
  }),
  defineFormat({
    name: 'text',
    longest: 10_000,
    check: acceptIf(isPlainText),
    problem: ['string_pattern_mismatch', 'String should have visible characters and spaces only, and no line breaks'],
    schema: {
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$',
    },
  }),
  defineFormat({
    name: 'prose',
    longest: 10_000,
    check: proseOrNull,
    problem: [
      'string_pattern_mismatch',
      `String should have visible characters, spaces and line breaks only, and at most ${MAX_LINES} lines`,
    ],
    schema: {
      pattern:
        '^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$',
    },
    note: `At most ${MAX_LINES} lines; every line break is kept as \\n.`,
  }),
  defineFormat({
    name: 'reference',
    longest: 1_000,
    check: acceptIf(isReference),
    problem: ['string_pattern_mismatch', 'String should have a visible character and no control characters'],
    schema: { pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' },
    note: 'With at least one visible character.',
  }),
  defineFormat({
    name: 'search-words',
    longest: 1_000,
    check: acceptIf((text) => wordsOf(text).length <= MAX_WORDS),
    problem: ['too_long', `Value should have at most ${MAX_WORDS} words`],
    schema: {},
    note: `At most ${MAX_WORDS} words.`,
    emptyIsAbsent: true,
  }),
  defineFormat({
    name: 'filter',
    longest: 256,
    check: acceptIf(isPlainText),
    problem: ['string_pattern_mismatch', 'String should have visible characters and spaces only, and no line breaks'],
    schema: {},
    emptyIsAbsent: true,
  }),
  defineFormat({
    name: 'cursor',
    longest: 500,
    check: acceptIf((text) => text !== ''),
    problem: ['value_error', 'Value is not a cursor of this list'],
    schema: {},
  }),
];

const byName = new Map<unknown, Format>(FORMATS.map((format) => [format.name, format]));

export const formatOf = (name: unknown): Format | undefined => byName.get(name);

/**
 * Registers the formats in `ajv` as checks that do not change values. It is for schemas of data that the service itself
 * makes.
 */
export function addFormats(ajv: Ajv): void {
  for (const { name, check } of FORMATS) ajv.addFormat(name, (text: string) => check(text) !== null);
}
