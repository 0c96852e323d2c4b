import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { addFormats } from '../../wire/formats.ts';

/** One entry of a 422's `detail`. */
export type Problem = { type: string; loc: (string | number)[]; msg: string; input?: unknown };

/** The parts of a request in the order in which their problems are listed. */
export type RequestParts = { path?: TSchema | undefined; query?: TSchema | undefined; body?: TSchema | undefined };

const ajv = new Ajv({ allErrors: true, verbose: true, useDefaults: true, strict: false, coerceTypes: false });
addFormats(ajv);

/**
 * Checks all parts at once and returns every problem; brings values into their form (trimmed, E.164, defaults) and
 * drops unknown keys in place.
 */
export function compileValidation(parts: RequestParts): (input: Record<string, unknown>) => Problem[] {
  const present = Object.entries(parts).filter(([, schema]) => schema !== undefined);
  const check: ValidateFunction = ajv.compile({
    type: 'object',
    properties: Object.fromEntries(present),
    required: present.map(([name]) => name),
  });
  return (input) => {
    dropUnknown(parts.body as Shape | undefined, input['body']);
    const unstorable: Problem[] = [];
    trimStrings(input, [], unstorable);
    if (check(input)) return unstorable;
    const problems = (check.errors ?? []).filter((error) => error.keyword !== 'if').map(toProblem);
    const places = new Set(problems.map((problem) => problem.loc.join('/')));
    return [...problems, ...unstorable.filter((problem) => !places.has(problem.loc.join('/')))];
  };
}

type Shape = { properties?: Record<string, Shape>; items?: Shape; additionalProperties?: unknown };

/** Unknown keys are ignored from the first step on: kept, they would reach stored documents and update statements. */
function dropUnknown(shape: Shape | undefined, value: unknown): void {
  if (shape === undefined || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) dropUnknown(shape.items, item);
    return;
  }
  const { properties } = shape;
  if (!properties || shape.additionalProperties) return;
  for (const [key, member] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) dropUnknown(properties[key], member);
    else delete (value as Record<string, unknown>)[key];
  }
}

const HALF_A_PAIR = /\p{Surrogate}/u;

/** PostgreSQL keeps neither a zero character nor half a surrogate pair. */
const isStorable = (text: string): boolean => !text.includes('\0') && !HALF_A_PAIR.test(text);

/** Deeper than any shape of ours, and far from where a recursion overflows the stack. */
const DEEPEST = 64;

/** Trims every text within `value` in place, and notes where something cannot be stored. */
function trimStrings(value: unknown, loc: Problem['loc'], unstorable: Problem[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (loc.length > DEEPEST) {
    unstorable.push({ type: 'value_error', loc: [...loc], msg: `Values are nested at most ${DEEPEST} deep` });
    return;
  }
  const names: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  for (const name of names) {
    const member = (value as Record<string | number, unknown>)[name];
    loc.push(name);
    if (typeof member === 'string') (value as Record<string | number, unknown>)[name] = member.trim();
    else trimStrings(member, loc, unstorable);
    if (!isStorable(String(name)) || (typeof member === 'string' && !isStorable(member))) {
      unstorable.push({
        type: 'string_unicode',
        loc: [...loc],
        msg: 'Input should be a valid string without zero characters',
      });
    }
    loc.pop();
  }
}

const TYPE_NAMES: Record<string, [type: string, msg: string]> = {
  string: ['string_type', 'Input should be a valid string'],
  integer: ['int_type', 'Input should be a valid integer'],
  number: ['float_type', 'Input should be a valid number'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['dict_type', 'Input should be a valid object'],
};

const FORMAT_NAMES: Record<string, [type: string, msg: string]> = {
  uuid: ['uuid_parsing', 'Input should be a valid UUID'],
  date: ['date_parsing', 'Input should be a real date as YYYY-MM-DD'],
  'date-time': ['datetime_parsing', 'Input should be a date and time as ISO 8601'],
  'birth-date': [
    'date_parsing',
    'Input should be a real date as YYYY-MM-DD, not in the future and not over 130 years ago',
  ],
  email: ['value_error', 'Value is not a valid email address'],
  npi: ['value_error', 'Value is not an NPI: ten digits with a valid check digit'],
  'time-zone': ['value_error', 'Value is not an IANA time zone, as America/Phoenix'],
  'http-url': ['url_parsing', 'Input should be an http or https address without credentials and fragment'],
  'us-state': ['value_error', 'Value is not a two-letter US state or territory code'],
};

function toProblem(error: ErrorObject): Problem {
  const loc = error.instancePath.split('/').slice(1).map(unescape);
  const [type, msg] = describe(error);
  if (error.keyword === 'required') loc.push(error.params['missingProperty'] as string);
  const problem: Problem = { type, loc, msg };
  if (mayEcho(error)) problem.input = error.data;
  return problem;
}

function describe(error: ErrorObject): [type: string, msg: string] {
  const { keyword, params } = error;
  const limit = params['limit'] as number;
  switch (keyword) {
    case 'required':
      return ['missing', 'Field required'];
    case 'type': {
      const expected = [params['type']].flat().join(',').split(',')[0] as string;
      const [type, msg] = TYPE_NAMES[expected] ?? ['value_error', 'Input has the wrong type'];
      return error.instancePath.startsWith('/body') ? [type, msg] : [type.replace('_type', '_parsing'), msg];
    }
    case 'format':
      return FORMAT_NAMES[params['format'] as string] ?? ['value_error', 'Value is not well formed'];
    case 'enum':
      return ['enum', `Input should be ${listed(params['allowedValues'] as unknown[])}`];
    case 'const':
      return ['literal_error', `Input should be ${JSON.stringify(params['allowedValue'])}`];
    case 'pattern':
      return ['string_pattern_mismatch', `String should match pattern '${params['pattern']}'`];
    case 'minLength':
      return ['string_too_short', `String should have at least ${characters(limit)}`];
    case 'maxLength':
      return ['string_too_long', `String should have at most ${characters(limit)}`];
    case 'minimum':
      return ['greater_than_equal', `Input should be greater than or equal to ${limit}`];
    case 'maximum':
      return ['less_than_equal', `Input should be less than or equal to ${limit}`];
    case 'minItems':
      return ['too_short', `List should have at least ${limit} items`];
    case 'maxItems':
      return ['too_long', `List should have at most ${limit} items`];
    default:
      return [(params['type'] as string | undefined) ?? 'value_error', error.message ?? 'Value is not valid'];
  }
}

const characters = (count: number): string => `${count} character${count === 1 ? '' : 's'}`;

function listed(values: unknown[]): string {
  return values
    .filter((value) => value !== null)
    .map((value) => `'${String(value)}'`)
    .join(', ');
}

/**
 * Only what cannot be a name, a date of birth, contact data or a secret is repeated to the caller:
 * numbers, booleans, and text where an id or one of a list was asked for.
 */
function mayEcho(error: ErrorObject): boolean {
  if (error.keyword === 'required') return false;
  const type = [(error.parentSchema as { type?: string | string[] } | undefined)?.type].flat();
  if (typeof error.data === 'number' || typeof error.data === 'boolean') {
    return type.some((name) => name === 'integer' || name === 'number' || name === 'boolean');
  }
  if (typeof error.data !== 'string' || error.data.length > 100) return false;
  return error.keyword === 'enum' || error.params['format'] === 'uuid';
}

const unescape = (part: string): string | number =>
  /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~');
