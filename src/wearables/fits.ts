// What comes from elsewhere than a request, from a provider or a file, is held to the schemas of requests.
import { Ajv, type ErrorObject } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import type { Static, TSchema } from 'typebox';
import { addFormats } from '../wire/formats.ts';
import type { Rule } from '../wire/rule.ts';
import { RULES } from '../wire/rules.ts';

/** The way from a value to a place in it. */
export type Place = string[];

const ajv = new Ajv({ allErrors: true, strict: false, strictNumbers: true, validateSchema: false });
addFormats(ajv);
for (const rule of RULES) {
  const type = rule.type === 'any' ? {} : { type: 'object' as const };
  ajv.addKeyword({ keyword: rule.keyword, ...type, errors: true, compile: (setting) => obeying(rule, setting) });
}

/** The places of everything that the schema and its rules do not allow; compiled when the first value comes. */
export function placesOfWrong(schema: TSchema): (value: unknown) => Place[] {
  let check: ReturnType<typeof ajv.compile> | undefined;
  return (value) => {
    check ??= ajv.compile(schema);
    return check(value) ? [] : (check.errors ?? []).map(placeOf);
  };
}

/** Whether the schema and its rules allow a value. */
export function fits<T extends TSchema>(schema: T): (value: unknown) => value is Static<T> {
  const wrong = placesOfWrong(schema);
  return (value): value is Static<T> => wrong(value).length === 0;
}

function placeOf({ instancePath, keyword, params }: ErrorObject): Place {
  const place = instancePath.split('/').slice(1);
  return keyword === 'required' ? [...place, (params as { missingProperty: string }).missingProperty] : place;
}

function obeying(rule: Rule, setting: unknown): DataValidateFunction {
  const check: DataValidateFunction = (value, at) => {
    const breaches = rule.check(setting as never, value as never);
    check.errors = breaches.map(({ at: way }) => ({
      keyword: rule.keyword,
      instancePath: [at?.instancePath ?? '', ...way].join('/'),
    }));
    return breaches.length === 0;
  };
  return check;
}
