import type { ErrorObject } from 'ajv';
import { nearest } from '../../config/nearest.ts';
import { alternatives } from '../../wire/alternatives.ts';
import type { Mismatch } from '../../wire/mismatch.ts';
import type { Problem } from '../error-response.ts';
import { ownProperty } from '../../wire/own-property.ts';

export const MAX_LISTED = 100;
const MAX_BYTES = 64 * 1024;
/** The most suggestions in one response. Finding a suggestion takes up to a millisecond. */
export const MAX_SUGGESTED = 3;
/** If there are at most this many names, the problem lists all of them and suggests none. */
const MAX_SEEN = 8;
const LONGEST_REPEATED = 100;

/** Returns the problems for a response. It keeps one problem per path, and at most as many as a response lists. */
export function listed(problems: Problem[]): Problem[] {
  const byPath = new Map<string, Problem>();
  for (const problem of problems) {
    const path = problem.loc.join('/');
    if (!byPath.has(path)) byPath.set(path, problem);
  }
  let bytes = 0;
  return [...byPath.values()].slice(0, MAX_LISTED).filter((problem) => {
    bytes += Buffer.byteLength(JSON.stringify(problem));
    return bytes <= MAX_BYTES;
  });
}

const TYPE_NAMES: Record<string, [type: string, msg: string]> = {
  string: ['string_type', 'Input should be a valid string'],
  integer: ['int_type', 'Input should be a valid integer'],
  number: ['float_type', 'Input should be a valid number'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['dict_type', 'Input should be a valid object'],
};

/**
 * Turns an error of the validator into an entry of a 422. `input` is the checked request. If `suggests` is true, the
 * text may suggest the name that the client probably meant.
 */
export function toProblem(error: ErrorObject, input: unknown, suggests: boolean): Problem {
  const loc = error.instancePath.split('/').slice(1).map(unescaped);
  const [type, said] = describe(error);
  if (error.keyword === 'required')
    return { type, loc: [...loc, error.params['missingProperty'] as string], msg: said };
  const value = loc.reduce<unknown>((at, name) => (at as Record<string | number, unknown> | undefined)?.[name], input);
  const msg = suggests ? `${said}${suggestion(error, value)}` : said;
  return mayBeRepeated(error, value) ? { type, loc, msg, input: value } : { type, loc, msg };
}

function describe(error: ErrorObject): [type: string, msg: string] {
  const { keyword, params, instancePath, message } = error;
  const limit = params['limit'] as number;
  switch (keyword) {
    case 'required':
      return ['missing', 'Field required'];
    case 'type': {
      const [type, msg] = ownProperty(TYPE_NAMES, expectedType(params)) ?? ['value_error', 'Input has the wrong type'];
      return instancePath.startsWith('/body') ? [type, msg] : [type.replace('_type', '_parsing'), msg];
    }
    case 'enum':
      return ['enum', `Input should be ${alternatives(params['allowedValues'] as unknown[])}`];
    case 'const':
      return ['literal_error', `Input should be ${JSON.stringify(params['allowedValue'])}`];
    case 'pattern':
      return [
        'string_pattern_mismatch',
        mismatchOf(error)?.msg ?? `String should match pattern '${params['pattern']}'`,
      ];
    case 'minLength':
      return ['string_too_short', `String should have at least ${limit} character${limit === 1 ? '' : 's'}`];
    case 'minimum':
      return ['greater_than_equal', `Input should be greater than or equal to ${limit}`];
    case 'maximum':
      return ['less_than_equal', `Input should be less than or equal to ${limit}`];
    case 'uniqueItems':
      return ['value_error', 'List should name each value once'];
    case 'minItems':
      return ['too_short', `List should have at least ${limit} items`];
    case 'minProperties':
      return ['too_short', `Object should have at least ${limit} key${limit === 1 ? '' : 's'}`];
    default:
      return [(params['type'] as string | undefined) ?? 'value_error', message ?? 'Value is not valid'];
  }
}

const expectedType = (params: ErrorObject['params']): string =>
  [params['type'] as string | string[]].flat().join(',').split(',')[0] as string;

const mismatchOf = ({ keyword, parentSchema }: ErrorObject): Mismatch | undefined =>
  keyword === 'pattern' ? (parentSchema?.['mismatch'] as Mismatch | undefined) : undefined;

/**
 * Returns a suggestion of the name that the client probably meant, if the list of names is too long to read at once.
 */
function suggestion(error: ErrorObject, value: unknown): string {
  const values = error.keyword === 'enum' ? (error.params['allowedValues'] as unknown[]) : [];
  const names = values.length > MAX_SEEN ? values.map(String) : mismatchOf(error)?.names;
  if (names === undefined || typeof value !== 'string' || value.length > LONGEST_REPEATED) return '';
  const meant = nearest(value, names);
  return meant === null ? '' : `. Did you mean ${meant}?`;
}

/**
 * Returns true if an error text may repeat the value. Error texts must not contain a name, a date of birth, contact
 * data or a secret. So we repeat only a wrong number or boolean, and a short text where an id or a listed value should
 * be.
 */
function mayBeRepeated(error: ErrorObject, value: unknown): boolean {
  const { keyword, params } = error;
  if (typeof value === 'number' || typeof value === 'boolean') {
    return keyword === 'minimum' || keyword === 'maximum' || NO_TEXT.has(expectedType(params));
  }
  const isPublic = keyword === 'enum' || params['format'] === 'uuid' || mismatchOf(error)?.names !== undefined;
  return isPublic && typeof value === 'string' && value.length <= LONGEST_REPEATED;
}

const NO_TEXT = new Set(['integer', 'number', 'boolean']);

const unescaped = (part: string): string | number =>
  /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~');
