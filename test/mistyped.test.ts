// Every member of every body with values of wrong types and sizes. Each is refused with our own texts or accepted, and
// no check computes with a value of a wrong type.
import { expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { BODIES } from '../src/openapi-texts/examples.ts';
import type { Operation } from '../src/operation/operation.ts';
import { compileValidation } from '../src/http/input/validation.ts';
import { jsonOf } from '../src/operation/media.ts';

type Schema = { type?: string | string[]; properties?: Record<string, Schema>; items?: Schema };
type Values = Record<string, unknown>;

const WRONG: unknown[] = [{}, [], [{}], '', 'x', 1e14 - 1, -1e14, 1.5, true, null, undefined, 'toString', '__proto__'];

/**
 * `value` with one member replaced by a wrong value, for each member and each wrong value, also for omitted members.
 */
function* withOneWrong(schema: Schema, value: unknown): Generator<unknown> {
  yield* WRONG;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const wrong of withOneWrong(schema.items ?? {}, item)) yield value.with(index, wrong);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(schema.properties ?? {}))
      for (const wrong of withOneWrong(member, (value as Values)[name])) yield { ...value, [name]: wrong };
  }
}

const bodyOf = ({ body }: Operation): Schema | undefined => jsonOf(body) as Schema;

test.each(operations.filter(bodyOf).map((operation) => [operation.id, operation] as const))(
  'no wrong value in the body of %s stops its check, and the problems have our own texts',
  (id, operation) => {
    const schema = bodyOf(operation) as Schema;
    const validate = compileValidation({ body: schema as never });
    expect(validate({ body: structuredClone(BODIES[id]) })).toEqual([]);
    const wrong = [...withOneWrong(schema, BODIES[id])].flatMap((body) => {
      try {
        const problems = validate({ body: structuredClone(body) });
        return problems.flatMap(({ msg, loc }) => (msg.startsWith('must ') ? `${loc.join('.')}: ${msg}` : []));
      } catch (error) {
        return [`${String(error)}: ${JSON.stringify(body)}`];
      }
    });
    expect(wrong.slice(0, 3)).toEqual([]);
  },
);
