import { Ajv } from 'ajv';
import fastJsonStringify from 'fast-json-stringify';
import type { Static, TSchema } from 'typebox';
import { addFormats } from '../wire/formats.ts';
import { OPERATIONAL_NAMES } from './names.ts';
import { hasOrigin } from './origin.ts';

// The optimisation of the generated code would double the time of the first event of each type.
const ajv = new Ajv({ strict: false, code: { optimize: false } });
addFormats(ajv);

/** An event type: its name, the schema of its `data`, and the function that writes `data` as JSON. */
export type EventType<T extends TSchema = TSchema> = {
  name: string;
  summary: string;
  data: T;
  /** True if the name is one of OPERATIONAL_NAMES. */
  operational: boolean;
  /** True if the event is about no user: user_id and client_user_id are null. */
  isWithoutUser: boolean;
  /** True if the event has an `origin`, which says how its data came (origin.ts). */
  hasOrigin: boolean;
  /**
   * Returns `data` as JSON, without members that the schema does not declare. Throws if `data` does not fit the schema.
   */
  write: (data: Static<T>) => string;
};

export function defineEvent<T extends TSchema>(type: {
  name: string;
  summary: string;
  data: T;
  isWithoutUser?: boolean;
}): EventType<T> {
  let write: ((data: Static<T>) => string) | undefined;
  const operational = OPERATIONAL_NAMES.includes(type.name);
  return {
    operational,
    isWithoutUser: operational,
    hasOrigin: hasOrigin(type.name),
    ...type,
    write: (data) => (write ??= compile(type.name, type.data))(data),
  };
}

function compile<T extends TSchema>(name: string, schema: T): (data: Static<T>) => string {
  const check = ajv.compile(schema);
  const stringify = fastJsonStringify(schema as never);
  return (data) => {
    if (!check(data)) {
      const problems = (check.errors ?? []).map((error) => `${error.instancePath} ${error.keyword}`).join(', ');
      throw new Error(`The data of event ${name} does not match its schema: ${problems}`);
    }
    return stringify(data);
  };
}
