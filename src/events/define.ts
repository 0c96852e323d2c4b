import { Ajv } from 'ajv';
import fastJsonStringify from 'fast-json-stringify';
import type { Static, TSchema } from 'typebox';
import { addFormats } from '../wire/formats.ts';

const ajv = new Ajv({ strict: false });
addFormats(ajv);

/** A type of event: its name, the shape of its `data`, and how that is written. */
export type EventType<T extends TSchema = TSchema> = {
  name: string;
  summary: string;
  data: T;
  /** Told to operators of receivers, not about a user: only receivers whose filter_types name it get it. */
  operational: boolean;
  /** About no user that is known: user_id and client_user_id are null. */
  ofNobody: boolean;
  /** The JSON text of `data` without keys the shape does not declare; throws where the shape is broken. */
  write: (data: Static<T>) => string;
};

export function defineEvent<T extends TSchema>(type: {
  name: string;
  summary: string;
  data: T;
  operational?: boolean;
  ofNobody?: boolean;
}): EventType<T> {
  let write: ((data: Static<T>) => string) | undefined;
  return {
    operational: false,
    ofNobody: type.operational ?? false,
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
