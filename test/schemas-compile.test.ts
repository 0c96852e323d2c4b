import { Ajv } from 'ajv';
import fastJsonStringify from 'fast-json-stringify';
import { describe, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { eventTypes } from '../src/event-types.ts';
import { compileValidation } from '../src/http/input/validation.ts';
import { jsonOf } from '../src/operation/media.ts';
import { addFormats } from '../src/wire/formats.ts';

// A running service compiles each of these only at its first use.
describe('every schema compiles', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))(
    'of operation %s',
    (_id, { params, query, body, response }) => {
      expect(compileValidation({ path: params, query, body: jsonOf(body) })).toBeTypeOf('function');
      expect(fastJsonStringify((jsonOf(response) ?? {}) as never)).toBeTypeOf('function');
    },
  );

  test.each(eventTypes.map(({ name, data }) => [name, data] as const))('of event %s', (_name, data) => {
    const ajv = new Ajv({ strict: false });
    addFormats(ajv);
    expect(ajv.compile(data)).toBeTypeOf('function');
    expect(fastJsonStringify(data as never)).toBeTypeOf('function');
  });
});
