// Writes values as JSON by their declared shape, without undeclared members. It caches the text of parts that repeat.
import fastJsonStringify from 'fast-json-stringify';
import type { TSchema } from 'typebox';
import { cachedMembersOf } from '../../wire/written-once.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { jsonWriter } from './write-json.ts';

type Shape = {
  type?: string | string[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  default?: unknown;
};
type Write = (value: unknown, out: GrowingBytes) => void;

/**
 * The buffer is this much larger than the previous response. A response may have this many more bytes before its buffer
 * grows.
 */
const SPARE_BYTES = 16_384;
/** If a shape has one of these keywords, fast-json-stringify writes its values. */
const SAID_OTHERWISE = [
  '$ref',
  'additionalProperties',
  'allOf',
  'anyOf',
  'const',
  'else',
  'if',
  'nullable',
  'oneOf',
  'patternProperties',
  'then',
];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST, COMMA] = Buffer.from('{}[],') as unknown as [
  number,
  number,
  number,
  number,
  number,
];

/**
 * Returns a function that writes a value as text. Use it if the response may be stored under an idempotency key,
 * because we store text, not bytes.
 */
export function textOf(schema: TSchema): (value: unknown) => string | Promise<string> {
  if (!hasCached(schema as Shape)) return jsonWriter(schema);
  const write = bodyOfCached(schema as Shape);
  return (value) => write(value).toString();
}

/**
 * Returns a function that writes a value as we send it. If a shape has cached parts, the result is bytes, because the
 * cached parts are bytes already.
 */
export const bodyOf = (schema: TSchema): ((value: unknown) => string | Buffer | Promise<string>) =>
  hasCached(schema as Shape) ? bodyOfCached(schema as Shape) : jsonWriter(schema);

function bodyOfCached(shape: Shape): (value: unknown) => Buffer {
  const write = writerOf(shape);
  let expected = 0;
  return (value) => {
    const out = new GrowingBytes(expected);
    write(value, out);
    const body = out.end();
    expected = body.length + SPARE_BYTES;
    return body;
  };
}

const hasCached = (shape: Shape): boolean =>
  cachedMembersOf(shape).length > 0 ||
  Object.values(shape.properties ?? {}).some(hasCached) ||
  (shape.items !== undefined && hasCached(shape.items));

/**
 * Returns a function that writes values of the declared type. It passes all other values to fast-json-stringify, which
 * converts or refuses them.
 */
function writerOf(shape: Shape): Write {
  const other = byFastJsonStringify(shape);
  const types = [shape.type].flat();
  const [type, ...more] = types.filter((each) => each !== 'null');
  if (more.length > 0 || SAID_OTHERWISE.some((word) => word in shape)) return other;
  const write = ofType(type, shape, other);
  return types.includes('null') ? (value, out) => (value === null ? out.addAscii('null') : write(value, out)) : write;
}

function ofType(type: string | undefined, shape: Shape, other: Write): Write {
  switch (type) {
    case 'string':
      return (value, out) => (typeof value === 'string' ? out.addString(value) : other(value, out));
    case 'integer':
      return (value, out) => (Number.isInteger(value) ? out.addAscii(`${value as number}`) : other(value, out));
    case 'number':
      return (value, out) => (Number.isFinite(value) ? out.addAscii(`${value as number}`) : other(value, out));
    case 'boolean':
      return (value, out) => (typeof value === 'boolean' ? out.addAscii(value ? 'true' : 'false') : other(value, out));
    case 'array':
      return shape.items ? ofList(shape.items, other) : other;
    case 'object':
      return shape.properties ? ofObject(shape, other) : other;
    default:
      return other;
  }
}

function byFastJsonStringify(shape: Shape): Write {
  let text: ((value: unknown) => string) | undefined;
  return (value, out) => {
    text ??= fastJsonStringify(shape as never) as (value: unknown) => string;
    out.add(text(value));
  };
}

function ofList(items: Shape, other: Write): Write {
  const write = writerOf(items);
  return (value, out) => {
    if (!Array.isArray(value)) return other(value, out);
    out.addByte(OPEN_LIST);
    for (let n = 0; n < value.length; n += 1) {
      if (n > 0) out.addByte(COMMA);
      write(value[n], out);
    }
    out.addByte(CLOSE_LIST);
  };
}

type Member = { name: string; key: string; write: Write; isRequired: boolean; otherwise: string | null };

/** Returns a function that writes an object with the required members first, as fast-json-stringify does. */
function ofObject(shape: Shape, other: Write): Write {
  const { properties = {}, required = [] } = shape;
  const cached = cachedMembersOf(shape);
  const members = Object.entries(properties).map(([name, part]): Member => {
    const write = writerOf(part);
    return {
      name,
      key: `${JSON.stringify(name)}:`,
      write: cached.includes(name) ? ofCached(write) : write,
      isRequired: required.includes(name),
      otherwise: part.default === undefined ? null : JSON.stringify(part.default),
    };
  });
  const inOrder = [...members.filter((each) => each.isRequired), ...members.filter((each) => !each.isRequired)];
  return (value, out) => {
    if (typeof value !== 'object' || value === null) return other(value, out);
    let before = OPEN_OBJECT;
    for (const { name, key, write, isRequired, otherwise } of inOrder) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined && otherwise === null) {
        if (isRequired) throw new Error(`"${name}" is required!`);
        continue;
      }
      out.addByte(before);
      out.addAscii(key);
      if (member === undefined) out.add(otherwise as string);
      else write(member, out);
      before = COMMA;
    }
    if (before === OPEN_OBJECT) out.addByte(OPEN_OBJECT);
    out.addByte(CLOSE_OBJECT);
  };
}

/** Caches the bytes of a frozen value for as long as the value exists. */
function ofCached(write: Write): Write {
  const cache = new WeakMap<object, Buffer>();
  return (value, out) => {
    const known = cache.get(value as object);
    if (known) return out.addBytes(known);
    if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return write(value, out);
    const own = new GrowingBytes(0);
    write(value, own);
    const bytes = own.end();
    cache.set(value, bytes);
    out.addBytes(bytes);
  };
}
