// Checks data of providers and files by the schemas of requests.
import { Ajv, type ErrorObject } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import type { Static, TSchema } from 'typebox';
import { addFormats } from '../wire/formats.ts';
import type { Rule } from '../wire/rule.ts';
import { RULES } from '../wire/rules.ts';

/** The keys and indexes that lead from a value to a field within it. */
export type Path = string[];

const ajv = new Ajv({ allErrors: true, strict: false, strictNumbers: true, validateSchema: false });
addFormats(ajv);
for (const rule of RULES) {
  const type = rule.type === 'any' ? {} : { type: 'object' as const };
  ajv.addKeyword({ keyword: rule.keyword, ...type, errors: true, compile: (setting) => obeying(rule, setting) });
}

/**
 * Returns a function that finds all parts of a value that the schema and its rules do not allow. The function compiles
 * the schema when it is first called.
 */
export function invalidPathsOf(schema: TSchema): (value: unknown) => Path[] {
  let check: ReturnType<typeof ajv.compile> | undefined;
  return (value) => {
    check ??= ajv.compile(schema);
    return check(value) ? [] : (check.errors ?? []).map(pathOf);
  };
}

/** Returns a function that checks whether the schema and its rules allow a value. */
export function fits<T extends TSchema>(schema: T): (value: unknown) => value is Static<T> {
  const wrong = invalidPathsOf(schema);
  return (value): value is Static<T> => wrong(value).length === 0;
}

function pathOf({ instancePath, keyword, params }: ErrorObject): Path {
  const path = instancePath.split('/').slice(1);
  return keyword === 'required' ? [...path, (params as { missingProperty: string }).missingProperty] : path;
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
