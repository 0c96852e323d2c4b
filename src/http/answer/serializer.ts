// Values as JSON by their declared shape, where parts of them are written once: what is not declared is not written.
import fastJsonStringify from 'fast-json-stringify';
import type { TSchema } from 'typebox';
import { keptMembersOf } from '../../wire/written-once.ts';
import { jsonWriter } from './write-json.ts';

type Shape = {
  type?: string | string[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
};
type Kept = { text: string; bytes: Buffer };
/** Where the parts of a text go, in their order. */
type Out = { add: (text: string) => void; addKept: (kept: Kept) => void };
type Write = (value: unknown, out: Out) => void;

/** Writes a value as a text, which an idempotency key can keep. */
export function textOf(schema: TSchema): (value: unknown) => string | Promise<string> {
  if (!holdsKept(schema as Shape)) return jsonWriter(schema);
  const write = writerOf(schema as Shape);
  return (value) => {
    let text = '';
    write(value, { add: (part) => (text += part), addKept: (kept) => (text += kept.text) });
    return text;
  };
}

/** Writes a value as what is sent. Where parts of it are written once, they are in bytes already, and the whole is. */
export function bodyOf(schema: TSchema): (value: unknown) => string | Buffer | Promise<string> {
  if (!holdsKept(schema as Shape)) return jsonWriter(schema);
  const write = writerOf(schema as Shape);
  return (value) => {
    const chunks: Buffer[] = [];
    let text = '';
    const flush = (): void => void (text !== '' && chunks.push(Buffer.from(text)));
    write(value, {
      add: (part) => (text += part),
      addKept: ({ bytes }) => {
        flush();
        text = '';
        chunks.push(bytes);
      },
    });
    flush();
    return Buffer.concat(chunks);
  };
}

const compiled = (shape: Shape): ((value: unknown) => string) => fastJsonStringify(shape as never);

const holdsKept = (shape: Shape): boolean =>
  keptMembersOf(shape).length > 0 ||
  Object.values(shape.properties ?? {}).some(holdsKept) ||
  (shape.items !== undefined && holdsKept(shape.items));

function writerOf(shape: Shape): Write {
  if (!holdsKept(shape)) {
    const text = compiled(shape);
    return (value, out) => out.add(text(value));
  }
  const write = shape.items ? ofList(shape.items) : ofObject(shape);
  return shape.type?.includes('null') ? (value, out) => (value === null ? out.add('null') : write(value, out)) : write;
}

function ofKept(text: (value: unknown) => string): Write {
  const kept = new WeakMap<object, Kept>();
  return (value, out) => {
    if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return out.add(text(value));
    let known = kept.get(value);
    if (!known) {
      const written = text(value);
      kept.set(value, (known = { text: written, bytes: Buffer.from(written) }));
    }
    out.addKept(known);
  };
}

function ofList(items: Shape): Write {
  const write = writerOf(items);
  return (value, out) => {
    out.add('[');
    for (const [n, item] of (value as unknown[]).entries()) {
      if (n > 0) out.add(',');
      write(item, out);
    }
    out.add(']');
  };
}

/** Writes members of an object; `isFirst` says that none stands before them. True where one was written. */
type WriteMembers = (value: object, out: Out, isFirst: boolean) => boolean;

/** Members in their order: each run of those that hold nothing kept at once, the others one by one. */
function ofObject(shape: Shape): Write {
  const { properties = {}, required = [] } = shape;
  const kept = keptMembersOf(shape);
  const writers: WriteMembers[] = [];
  let plain: Record<string, Shape> = {};
  const endRun = (): void => {
    if (Object.keys(plain).length > 0) writers.push(ofMembers(plain, required));
    plain = {};
  };
  for (const [name, part] of Object.entries(properties)) {
    const isKept = kept.includes(name);
    if (!isKept && !holdsKept(part)) plain[name] = part;
    else {
      endRun();
      writers.push(ofMember(name, isKept ? ofKept(compiled(part)) : writerOf(part), required.includes(name)));
    }
  }
  endRun();
  return (value, out) => {
    out.add('{');
    let isFirst = true;
    for (const write of writers) isFirst = !write(value as object, out, isFirst) && isFirst;
    out.add('}');
  };
}

function ofMembers(properties: Record<string, Shape>, required: string[]): WriteMembers {
  const text = compiled({ type: 'object', properties, required: required.filter((name) => name in properties) });
  return (value, out, isFirst) => {
    const members = text(value).slice(1, -1);
    if (members === '') return false;
    out.add(isFirst ? members : `,${members}`);
    return true;
  };
}

function ofMember(name: string, write: Write, isRequired: boolean): WriteMembers {
  const key = `${JSON.stringify(name)}:`;
  return (value, out, isFirst) => {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) {
      if (isRequired) throw new Error(`"${name}" is required!`);
      return false;
    }
    out.add(isFirst ? key : `,${key}`);
    write(member, out);
    return true;
  };
}
