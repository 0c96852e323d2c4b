import { Ajv } from 'ajv';
import fastJsonStringify from 'fast-json-stringify';
import { describe, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { eventTypes } from '../src/event-types.ts';
import { compileValidation } from '../src/http/input/validation.ts';
import { jsonOf } from '../src/operation/media.ts';
import { addFormats } from '../src/wire/formats.ts';

const ajv = new Ajv({ strict: false, code: { optimize: false } });
addFormats(ajv);

/** Many operations and events have equal schemas. Each is compiled once. */
const compiled = new Map<string, unknown>();
function compileOnce<T>(how: (schema: T) => unknown, schema: T): unknown {
  const key = `${how.name} ${JSON.stringify(schema)}`;
  if (!compiled.has(key)) compiled.set(key, how(schema));
  return compiled.get(key);
}
const compileCheck = (schema: object): unknown => ajv.compile(schema);
const compileWriter = (schema: object): unknown => fastJsonStringify(schema as never);

// A running service compiles each of these only at its first use.
describe('every schema compiles', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))(
    'of operation %s',
    (_id, { params, query, body, response }) => {
      const parts = { path: params, query, body: jsonOf(body) };
      expect(compileOnce(compileValidation, parts)).toBeTypeOf('function');
      expect(compileOnce(compileWriter, jsonOf(response) ?? {})).toBeTypeOf('function');
    },
  );

  test.each(eventTypes.map(({ name, data }) => [name, data] as const))('of event %s', (_name, data) => {
    expect(compileOnce(compileCheck, data)).toBeTypeOf('function');
    expect(compileOnce(compileWriter, data)).toBeTypeOf('function');
  });
});
