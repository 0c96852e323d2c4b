// Every request schema limits the length of each of its texts, lists and maps, and every pattern is linear in its text.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { eventTypes } from '../src/event-types.ts';
import { FORMATS, formatOf } from '../src/wire/formats.ts';

type Schema = Record<string, unknown> & {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema;
  propertyNames?: { maxLength?: number };
};

/** Keywords that this check of limits does not cover. */
const NOT_LOOKED_AT = ['$ref', 'allOf', 'oneOf', 'patternProperties', 'prefixItems'];

/** The paths in `schema` that have no limit. */
function unboundedIn(schema: Schema, pointer: string): string[] {
  const kinds = [schema.type].flat().filter((kind) => kind !== 'null');
  const missing = (...keywords: string[]): string[] =>
    keywords.filter((keyword) => schema[keyword] === undefined).map((keyword) => `${pointer} has no ${keyword}`);
  const passedBy = NOT_LOOKED_AT.filter((keyword) => keyword in schema).map((keyword) => `${pointer} has ${keyword}`);
  if (schema.anyOf) return schema.anyOf.flatMap((member, index) => unboundedIn(member, `${pointer}|${index}`));
  if (kinds.length !== 1 && !('notTaken' in schema)) return [`${pointer} is not of one kind`];
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return passedBy;
  switch (kinds[0]) {
    case 'string':
      return [...passedBy, ...(formatOf(schema['format']) ? [] : missing('maxLength'))];
    case 'integer':
    case 'number':
      return [...passedBy, ...missing('minimum', 'maximum')];
    case 'array':
      return [...passedBy, ...missing('maxItems'), ...unboundedIn(schema.items ?? {}, `${pointer}[]`)];
    case 'object': {
      const members = Object.entries(schema.properties ?? {});
      if (schema.properties)
        return [...passedBy, ...members.flatMap(([name, one]) => unboundedIn(one, `${pointer}.${name}`))];
      const values = unboundedIn(schema.additionalProperties ?? {}, `${pointer}{}`);
      return [...passedBy, ...missing('maxProperties', 'propertyNames'), ...values];
    }
    default:
      return passedBy;
  }
}

/** The largest number of values in a request. */
function maxValuesIn(schema: Schema): number {
  const members = Object.values(schema.properties ?? {}).reduce((sum, member) => sum + maxValuesIn(member), 0);
  // A column of numbers counts as one value (http/input/bounds.ts).
  const items = schema.items && !schema['column'] ? Number(schema['maxItems']) * maxValuesIn(schema.items) : 0;
  const entries = schema.additionalProperties ? Number(schema['maxProperties']) : 0;
  return 1 + members + items + entries;
}

describe.each(operations.map((operation) => [operation.id, operation] as const))(
  'the requests of %s',
  (_id, operation) => {
    const { params, query, body } = operation;
    // A batch is checked value by value.
    const value = body && 'media' in body && body.media === 'batch' ? body.item : body;
    const parts = Object.entries({ path: params, query, body: value });
    const schemas = parts.flatMap(([part, schema]) => (schema ? [[part, schema as Schema] as const] : []));

    test('limit every text, number, list and map', () => {
      expect(schemas.flatMap(([part, schema]) => unboundedIn(schema, part))).toEqual([]);
    });

    test('have fewer values than the limit of the check', () => {
      for (const [, schema] of schemas) expect(maxValuesIn(schema)).toBeLessThan(10_000);
    });
  },
);

/** Regular expressions of the source. Each may meet text from callers or endpoints, if not now then later. */
function regexesOfSource(): { where: string; regex: RegExp }[] {
  const literal =
    /(?<=[=(,:?!&|[\s])\/(?![/*\s])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)(?=[.,;)\s\]])/g;
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) =>
      readFileSync(`src/${file}`, 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
        .flatMap((line) => [...line.matchAll(literal)])
        .flatMap(([, source, flags]) => {
          try {
            return [{ where: `${file}: /${source}/`, regex: new RegExp(source as string, flags?.replace(/[gy]/, '')) }];
          } catch {
            return [];
          }
        }),
    );
}

function patternsIn(schema: unknown, pointer: string): { where: string; regex: RegExp }[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'pattern' && typeof value === 'string'
      ? [{ where: `${pointer}: ${value}`, regex: new RegExp(value, 'u') }]
      : patternsIn(value, `${pointer}.${key}`),
  );
}

const LONG = 12_000;
/** A quadratic expression takes a second for the longest text, a linear one a millisecond. */
const SLOW_MS = 40;

/**
 * A part of the length, and the milliseconds that an expression needs for it if the whole text is slow. A cubic one
 * needs for an eighth of the text a 512th of the time, a quadratic one more.
 */
const [PART, PART_MS] = [LONG / 8, SLOW_MS / 512];

/** Makes a text of about a length. */
type Attack = (length: number) => string;

/**
 * Texts that could be slow for an expression: its own characters, repeated, after its beginning, before a wrong end.
 */
function attacksOn(source: string): Attack[] {
  const letters = [...new Set([...source.replaceAll(/\\[dDwWsSbBpPu]\{?[\w=]*\}?/g, ''), ...'a0A -.@/:é\t'])];
  const start = /^\^?((?:[\w@:-]|\\[/.])+)/.exec(source)?.[1]?.replaceAll('\\', '') ?? '';
  const pairs = letters.slice(0, 8).flatMap((a) => letters.slice(0, 8).map((b) => a + b));
  // A pair of one letter makes the same text as the letter.
  const units = new Set([...letters, ...pairs.filter(([a, b]) => a !== b), '//', 'a.', 'a-', 'a ']);
  const beginnings = [...new Set(['', start, 'https://', 'a@'])];
  const ends = ['\u0007', '\n', ' !'];
  return [...units].flatMap((unit) =>
    beginnings.flatMap((beginning) =>
      ends.map(
        (end): Attack =>
          (length) =>
            `${beginning}${unit.repeat(length / unit.length)}${end}`,
      ),
    ),
  );
}

/** Milliseconds of the fastest of several tries, so that a busy machine does not count. */
function quickest(work: () => unknown, enoughMs: number): number {
  let best = Infinity;
  for (let round = 0; round < 4 && best > enoughMs; round += 1) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** The beginning of the first slow text. */
function slowFor(source: string, work: (text: string) => unknown): string | undefined {
  const isSlow = (text: string, ms: number): boolean => quickest(() => work(text), ms) > ms;
  // The whole text takes long even for a linear expression, so it is only tried where a part of it is slow.
  const found = attacksOn(source).find((attack) => isSlow(attack(PART), PART_MS) && isSlow(attack(LONG), SLOW_MS));
  return found?.(LONG).slice(0, 40);
}

const patterns = [
  ...operations.flatMap(({ id, params, query, body, response }) => patternsIn({ params, query, body, response }, id)),
  ...eventTypes.flatMap(({ name, data }) => patternsIn(data, name)),
  ...FORMATS.flatMap(({ name, schema }) => patternsIn(schema, name)),
  ...regexesOfSource(),
];
const distinct = [...new Map(patterns.map((pattern) => [pattern.regex.source, pattern])).values()];

test('a quadratic pattern is found', () => {
  const quadratic = /^https?:\/\/[^\s/?#]+[^\s]*$/;
  expect(slowFor(quadratic.source, (text) => quadratic.test(text))).toBeDefined();
});

test('all kinds of patterns are checked', () => {
  expect(distinct.length).toBeGreaterThan(40);
  const locations = distinct.map(({ where }) => where).join('\n');
  for (const fragment of ['wire/', 'http/', 'webhooks/', 'outbound/', 'body.properties'])
    expect(locations).toContain(fragment);
});

test.each(distinct.map(({ where, regex }) => [where, regex] as const))('%s is linear', (_where, regex) => {
  expect(slowFor(regex.source, (text) => regex.test(text))).toBeUndefined();
});

test.each(FORMATS.map((format) => [format.name, format] as const))(
  'the format %s is linear',
  (_name, { check, longest }) => {
    const source = '+1(602)@example.com whsec_ America/Phoenix United States';
    expect(slowFor(source, (text) => check(text.slice(0, Math.max(longest, 2_000))))).toBeUndefined();
  },
);
