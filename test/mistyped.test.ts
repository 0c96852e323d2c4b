// Every member of every body, with values of wrong types and sizes in its place: each is refused in words of ours or taken, and no
// check computes with what is no value of its form.
import { expect, test } from 'vitest';
import { endpoints } from '../src/endpoints.ts';
import { BODIES } from '../src/glossary/examples.ts';
import type { Endpoint } from '../src/http/endpoint.ts';
import { compileValidation } from '../src/http/input/validation.ts';
import { jsonOf } from '../src/http/media.ts';

type Schema = { type?: string | string[]; properties?: Record<string, Schema>; items?: Schema };
type Values = Record<string, unknown>;

const WRONG: unknown[] = [{}, [], [{}], '', 'x', 1e14 - 1, -1e14, 1.5, true, null, undefined, 'toString', '__proto__'];

/** `value` with each of its members in turn replaced by each wrong value, also members that it leaves out. */
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

const bodyOf = ({ body }: Endpoint): Schema | undefined => jsonOf(body) as Schema;

test.each(endpoints.filter(bodyOf).map((endpoint) => [endpoint.id, endpoint] as const))(
  'no wrong value in the body of %s stops its check, and what is wrong is told in words of ours',
  (id, endpoint) => {
    const schema = bodyOf(endpoint) as Schema;
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
