import { Ajv, type ValidateFunction } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import type { TSchema } from 'typebox';
import { formatOf } from '../../wire/formats.ts';
import type { Rule } from '../../wire/rule.ts';
import { RULES } from '../../wire/rules.ts';
import { compileBounds } from './bounds.ts';
import type { Problem } from '../error-response.ts';
import { listed, MAX_SUGGESTED, toProblem } from './problem.ts';

/** The parts of a request. A response lists problems in this order. */
export type RequestParts = { path?: TSchema | undefined; query?: TSchema | undefined; body?: TSchema | undefined };

type Validate = (input: Record<string, unknown>) => Problem[];

const RULE_NAMES = new Set(RULES.map(({ keyword }) => keyword));

// Ajv need not validate our schemas, because test/openapi.test.ts does.
const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  strict: false,
  strictNumbers: true,
  verbose: true,
  validateSchema: false,
  // The optimisation of the generated code would double the time of the first request to an operation.
  code: { optimize: false },
});
ajv.removeKeyword('format');
ajv.addKeyword({ keyword: 'format', type: 'string', modifying: true, errors: true, compile: bringingIntoForm });
for (const rule of RULES) {
  const type = rule.type === 'any' ? {} : { type: 'object' as const };
  ajv.addKeyword({ keyword: rule.keyword, ...type, errors: true, compile: (setting) => obeying(rule, setting) });
}

/**
 * Returns a function that checks all parts of a request. It checks bounds first, so the other checks see only values
 * within bounds. So the time is linear in the size of the request, and the list of problems stays short. The function
 * changes `input`: it normalises values (trimmed text, E.164 phone numbers, lower-case ids, defaults) and removes
 * unknown keys.
 */
export function compileValidation(parts: RequestParts): Validate {
  const present = Object.entries(parts).flatMap(([part, schema]) =>
    schema === undefined ? [] : [{ part, schema, bounded: compileBounds(schema) }],
  );
  const check: ValidateFunction = ajv.compile({
    type: 'object',
    properties: Object.fromEntries(present.map(({ part, schema }) => [part, schema])),
    required: present.map(({ part }) => part),
  });
  return (input) => {
    const tooLong: Problem[] = [];
    for (const { part, bounded } of present) {
      if (input[part] !== undefined) input[part] = bounded(input[part], part, tooLong);
    }
    if (check(input) && tooLong.length === 0) return [];
    const found = check.errors ?? [];
    // Ajv keeps the errors of the last request, and in them what it sent.
    check.errors = null;
    const pathsWhere = (is: (keyword: string) => boolean): Set<string> =>
      new Set(found.filter(({ keyword }) => is(keyword)).map(({ instancePath }) => instancePath));
    const mistyped = pathsWhere((keyword) => keyword === 'type');
    // Some shapes have a rule about a member. The rule's problem is more precise than a list of the member's possible
    // values, so we report only the rule's problem.
    const ruled = pathsWhere((keyword) => RULE_NAMES.has(keyword));
    const leftOut = new Set(tooLong.map(({ loc }) => loc.join('/')));
    const further = found
      .filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
      .filter(({ keyword, instancePath }) => keyword !== 'enum' || !ruled.has(instancePath))
      .map((error, index) => toProblem(error, input, index < MAX_SUGGESTED))
      .filter(({ loc }) => !loc.some((_, index) => leftOut.has(loc.slice(0, index + 1).join('/'))));
    return listed([...tooLong, ...further]);
  };
}

const compiled = new WeakMap<object, Validate>();

/**
 * Returns the validation of an operation, or of the items or fields of one. It is compiled once in a process: a
 * compilation takes milliseconds, and Ajv keeps each one for ever.
 */
export function validationOf(owner: object, parts: RequestParts): Validate {
  const known = compiled.get(owner);
  if (known) return known;
  const validate = compileValidation(parts);
  compiled.set(owner, validate);
  return validate;
}

/** Returns a function that replaces a text by the form in which we store it. */
function bringingIntoForm(name: string): DataValidateFunction {
  const format = formatOf(name);
  if (format === undefined) throw new Error(`There is no format ${name}.`);
  const [type, message] = format.problem;
  const check: DataValidateFunction = (text: string, at) => {
    const formatted = format.check(text);
    if (formatted !== null && at) at.parentData[at.parentDataProperty] = formatted;
    if (formatted !== null) return true;
    check.errors = [{ keyword: 'format', message, params: { type, format: name } }];
    return false;
  };
  return check;
}

function obeying(rule: Rule, setting: unknown): DataValidateFunction {
  const check: DataValidateFunction = (value, at) => {
    const breaches = rule.check(setting as never, value as never);
    if (breaches.length === 0) return true;
    check.errors = breaches.map(({ at: way, type, msg }) => ({
      keyword: rule.keyword,
      instancePath: [at?.instancePath ?? '', ...way].join('/'),
      message: msg,
      params: { type },
    }));
    return false;
  };
  return check;
}
