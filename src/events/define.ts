import { Ajv } from 'ajv';
import fastJsonStringify from 'fast-json-stringify';
import type { Static, TSchema } from 'typebox';
import { addFormats } from '../wire/formats.ts';
import { OPERATIONAL_NAMES } from './names.ts';
import { bearsOrigin } from './origin.ts';

const ajv = new Ajv({ strict: false });
addFormats(ajv);

/** A type of event: its name, the shape of its `data`, and how that is written. */
export type EventType<T extends TSchema = TSchema> = {
  name: string;
  summary: string;
  data: T;
  /** One of OPERATIONAL_NAMES. */
  operational: boolean;
  /** About no user that is known: user_id and client_user_id are null. */
  ofNobody: boolean;
  /** Says how the data came that it tells of. */
  bearsOrigin: boolean;
  /** The JSON text of `data` without keys the shape does not declare; throws where the shape is broken. */
  write: (data: Static<T>) => string;
};

export function defineEvent<T extends TSchema>(type: {
  name: string;
  summary: string;
  data: T;
  ofNobody?: boolean;
}): EventType<T> {
  let write: ((data: Static<T>) => string) | undefined;
  const operational = OPERATIONAL_NAMES.includes(type.name);
  return {
    operational,
    ofNobody: operational,
    bearsOrigin: bearsOrigin(type.name),
    ...type,
    write: (data) => (write ??= compile(type.name, type.data))(data),
  };
}

function compile<T extends TSchema>(name: string, schema: T): (data: Static<T>) => string {
  const check = ajv.compile(schema);
  const stringify = fastJsonStringify(schema as never);
  return (data) => {
    if (!check(data)) {
      const places = (check.errors ?? []).map((error) => `${error.instancePath} ${error.keyword}`).join(', ');
      throw new Error(`The data of event ${name} breaks its shape: ${places}`);
    }
    return stringify(data);
  };
}
