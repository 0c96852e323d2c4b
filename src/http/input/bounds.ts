// The first check of a request. It refuses everything that is too long, so later checks see at most as many values as
// the schema allows. It visits only the keys that the schema declares. So its own work is limited too, even if the body
// is large.
import type { TSchema } from 'typebox';
import { formatOf } from '../../wire/formats.ts';
import { nearest } from '../../config/nearest.ts';
import { alternatives } from '../../wire/alternatives.ts';
import type { Problem } from '../error-response.ts';
import { MAX_SUGGESTED } from './problem.ts';

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  format?: string;
  maxLength?: number;
  maxItems?: number;
  /**
   * True for a long list of numbers, in which null stands for a missing number. We check such a list in one step, and
   * report only its first wrong value.
   */
  column?: boolean;
  minimum?: number;
  maximum?: number;
  maxProperties?: number;
  propertyNames?: { maxLength?: number };
};

/**
 * The most values of a request. No valid request needs more, and each value takes about a microsecond in later checks.
 */
const MAX_VALUES = 10_000;

/** The state of a check: the current path, the problems, and the number of values so far. */
type Tour = { loc: Problem['loc']; problems: Problem[]; values: number };

/** Checks one value, and returns a copy of it for later checks. */
type Look = (value: unknown, at: Tour) => unknown;

/**
 * Returns a function that copies `value` with only its known keys and with trimmed text. If a part exceeds a limit, the
 * function adds a problem and does not copy the part. It never visits unknown keys, so they cost no time.
 */
export function compileBounds(schema: TSchema): (value: unknown, part: string, problems: Problem[]) => unknown {
  const look = compile(schema as Schema);
  return (value, part, problems) => look(value, { loc: [part], problems, values: 0 });
}

function compile(schema: Schema): Look {
  const look = lookOf(schema);
  return (value, at) => {
    at.values += 1;
    if (at.values <= MAX_VALUES) return look(value, at);
    if (at.values === MAX_VALUES + 1) {
      at.problems.push({ type: 'too_long', loc: at.loc.slice(0, 1), msg: `At most ${MAX_VALUES} values are taken` });
    }
    return undefined;
  };
}

function lookOf(schema: Schema): Look {
  if (schema.anyOf) return oneOfSeveral(schema.anyOf);
  const kind = kindOf(schema);
  if (kind === 'string') return text(schema);
  if (kind === 'array') return schema.column ? column(schema) : list(schema);
  if (kind === 'object') return schema.properties ? shape(schema) : map(schema);
  return plain;
}

/**
 * Copies a number or a boolean. The schema allows no object, list or text here, and the later type check refuses them.
 * So an empty object, list or text is enough as the copy.
 */
const plain: Look = (value) => {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? [] : {};
  return typeof value === 'string' ? '' : value;
};

/** Returns true if PostgreSQL can store the text. It stores no zero character and no unpaired surrogate. */
const isStorable = (value: string): boolean => !value.includes('\0') && value.isWellFormed();

function text({ format, maxLength = Infinity }: Schema): Look {
  const { longest = Infinity, problem = null } = formatOf(format) ?? {};
  const most = Math.min(maxLength, longest);
  return (value, at) => {
    if (typeof value !== 'string') return plain(value, at);
    const trimmed = value.trim();
    if (isLonger(trimmed, most)) {
      if (most < maxLength && problem) refuse(at, problem[0], problem[1]);
      else refuse(at, 'string_too_long', `String should have at most ${most} character${most === 1 ? '' : 's'}`);
      return '';
    }
    if (isStorable(trimmed)) return trimmed;
    refuse(at, 'string_unicode', 'Input should be a valid string without zero characters');
    return '';
  };
}

/**
 * Compares the number of characters, as JSON Schema does. A character outside of the Basic Multilingual Plane is two
 * code units of a string.
 */
function isLonger(value: string, most: number): boolean {
  if (value.length <= most) return false;
  return value.length > 2 * most || [...value].length > most;
}

function list({ items = {}, maxItems = Infinity }: Schema): Look {
  const look = compile(items);
  return (value, at) => {
    if (!Array.isArray(value)) return plain(value, at);
    if (value.length > maxItems) {
      refuse(at, 'too_long', `List should have at most ${maxItems} items`);
      return [];
    }
    return value.map((item, index) => within(look, item, index, at));
  };
}

/** Checks a list of numbers as one value. Later checks would call a function for each number, which takes longer. */
function column({ items = {}, maxItems = Infinity }: Schema): Look {
  const { minimum = -Infinity, maximum = Infinity } = items;
  const isWhole = kindOf(items) === 'integer';
  const mayBeNull = [items.type].flat().includes('null');
  const isRight = (each: unknown): boolean =>
    typeof each === 'number'
      ? each >= minimum && each <= maximum && (!isWhole || Number.isInteger(each))
      : each === null && mayBeNull;
  return (value, at) => {
    if (!Array.isArray(value)) return plain(value, at);
    const wrong = value.length > maxItems ? -1 : value.findIndex((each) => !isRight(each));
    if (value.length <= maxItems && wrong === -1) return value;
    if (value.length > maxItems) refuse(at, 'too_long', `List should have at most ${maxItems} items`);
    else {
      const kind = isWhole ? 'an integer' : 'a number';
      const kinds = `${kind} from ${minimum} to ${maximum}${mayBeNull ? ', or null' : ''}`;
      at.loc.push(wrong);
      refuse(at, 'value_error', `Input should be ${kinds}`);
      at.loc.pop();
    }
    return [];
  };
}

function shape({ properties = {}, additionalProperties }: Schema): Look {
  const members = Object.entries(properties).map(([name, member]) => ({ name, look: compile(member) }));
  let last: { keys: string[]; members: typeof members } = { keys: [], members: [] };
  // Most values of a list have the same keys. For each value, looking up every possible key would take most of the
  // time. So we remember which keys the last value had.
  const membersOf = (value: Record<string, unknown>): typeof members => {
    if (hasKeys(value, last.keys)) return last.members;
    const keys = Object.keys(value);
    const present = members.filter(({ name }) => Object.hasOwn(value, name));
    // We remember the keys only if all of them are known.
    if (keys.length === present.length) last = { keys, members: present };
    return present;
  };
  return (value, at) => {
    if (!isObject(value)) return plain(value, at);
    if (additionalProperties === false) refuseUnknown(value, properties, at);
    const known: Record<string, unknown> = {};
    for (const { name, look } of membersOf(value)) known[name] = within(look, value[name], name, at);
    return known;
  };
}

/** Returns true if `value` has exactly these keys in this order. */
function hasKeys(value: Record<string, unknown>, keys: readonly string[]): boolean {
  let count = 0;
  for (const key in value) {
    if (key !== keys[count]) return false;
    count += 1;
  }
  return count === keys.length;
}

const MAX_UNKNOWN = 10;
const LONGEST_NAME = 100;

/** Adds a problem for each of the first unknown keys. Called for a shape that accepts only its declared keys. */
function refuseUnknown(value: Record<string, unknown>, properties: Record<string, Schema>, at: Tour): void {
  let reported = 0;
  for (const name in value) {
    if (Object.hasOwn(properties, name)) continue;
    at.loc.push(name.slice(0, LONGEST_NAME));
    const names = Object.keys(properties);
    const meant = at.problems.length < MAX_SUGGESTED && name.length <= LONGEST_NAME ? nearest(name, names) : null;
    const suggestion = meant === null ? '' : `. Did you mean ${meant}?`;
    refuse(
      at,
      'extra_forbidden',
      `Unknown keys are not accepted here. The keys are ${alternatives(names)}${suggestion}`,
    );
    at.loc.pop();
    reported += 1;
    if (reported === MAX_UNKNOWN) return;
  }
}

function map({ additionalProperties, maxProperties = Infinity, propertyNames }: Schema): Look {
  const look = compile(typeof additionalProperties === 'object' ? additionalProperties : {});
  const longestName = propertyNames?.maxLength ?? Infinity;
  return (value, at) => {
    if (!isObject(value)) return plain(value, at);
    // Assigning a key with this name would change the prototype of the copy.
    const names = Object.keys(value).filter((name) => name !== '__proto__');
    if (names.length > maxProperties) {
      refuse(at, 'too_long', `Object should have at most ${maxProperties} keys`);
      return {};
    }
    if (names.some((name) => isLonger(name, longestName) || !isStorable(name))) {
      refuse(at, 'string_too_long', `Keys should have at most ${longestName} characters and no zero characters`);
      return {};
    }
    return Object.fromEntries(names.map((name) => [name, within(look, value[name], name, at)]));
  };
}

/** Checks a value of a union with the first member that accepts the value's kind (object, list, text or other). */
function oneOfSeveral(members: Schema[]): Look {
  const looks = members.map((member) => ({ kind: kindOf(member), look: lookOf(member) }));
  return (value, at) => {
    const kind = Array.isArray(value) ? 'array' : typeof value;
    return (looks.find((member) => member.kind === kind)?.look ?? plain)(value, at);
  };
}

const kindOf = ({ type }: Schema): string | undefined => [type].flat().find((name) => name !== 'null');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function within(look: Look, value: unknown, name: string | number, at: Tour): unknown {
  at.loc.push(name);
  const seen = look(value, at);
  at.loc.pop();
  return seen;
}

function refuse(at: Tour, type: string, msg: string): void {
  at.problems.push({ type, loc: [...at.loc], msg });
}
