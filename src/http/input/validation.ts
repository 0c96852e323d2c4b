import { Ajv, type ValidateFunction } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import type { TSchema } from 'typebox';
import { formatOf } from '../../wire/formats.ts';
import type { Rule } from '../../wire/rule.ts';
import { RULES } from '../../wire/rules.ts';
import { compileBounds } from './bounds.ts';
import type { Problem } from '../errors.ts';
import { listed, MOST_SUGGESTED, toProblem } from './problem.ts';

/** The parts of a request in the order in which their problems are listed. */
export type RequestParts = { path?: TSchema | undefined; query?: TSchema | undefined; body?: TSchema | undefined };

const RULE_NAMES = new Set(RULES.map(({ keyword }) => keyword));

// Schemas are checked where OpenAPI is made of them (test/openapi.test.ts).
const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  strict: false,
  strictNumbers: true,
  verbose: true,
  validateSchema: false,
});
ajv.removeKeyword('format');
ajv.addKeyword({ keyword: 'format', type: 'string', modifying: true, errors: true, compile: bringingIntoForm });
for (const rule of RULES) {
  const type = rule.type === 'any' ? {} : { type: 'object' as const };
  ajv.addKeyword({ keyword: rule.keyword, ...type, errors: true, compile: (setting) => obeying(rule, setting) });
}

/**
 * Checks all parts at once: first their bounds, then everything else on what is within them, so that the time is
 * linear in the request and the list of problems short. Brings values into their form (trimmed, E.164, lower-case ids,
 * defaults) and leaves unknown keys out, in `input` itself.
 */
export function compileValidation(parts: RequestParts): (input: Record<string, unknown>) => Problem[] {
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
    const placesOf = (is: (keyword: string) => boolean): Set<string> =>
      new Set(found.filter(({ keyword }) => is(keyword)).map(({ instancePath }) => instancePath));
    const mistyped = placesOf((keyword) => keyword === 'type');
    // What a shape says of a member is told instead of the list of all that such a member may be anywhere.
    const ruled = placesOf((keyword) => RULE_NAMES.has(keyword));
    const leftOut = new Set(tooLong.map(({ loc }) => loc.join('/')));
    const further = found
      .filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
      .filter(({ keyword, instancePath }) => keyword !== 'enum' || !ruled.has(instancePath))
      .map((error, index) => toProblem(error, input, index < MOST_SUGGESTED))
      .filter(({ loc }) => !loc.some((_, index) => leftOut.has(loc.slice(0, index + 1).join('/'))));
    return listed([...tooLong, ...further]);
  };
}

/** Replaces text by the form in which it is kept. */
function bringingIntoForm(name: string): DataValidateFunction {
  const format = formatOf(name);
  if (format === undefined) throw new Error(`No format is called ${name}.`);
  const [type, message] = format.problem;
  const check: DataValidateFunction = (text: string, at) => {
    const kept = format.check(text);
    if (kept !== null && at) at.parentData[at.parentDataProperty] = kept;
    if (kept !== null) return true;
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
