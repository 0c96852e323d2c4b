// The interface without its texts. A rewritten sentence changes nothing here; anything else changes a line of the list.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openApiText } from '../src/openapi.ts';

const LIST = 'test/openapi-shape.txt';

/** Removes descriptions and summaries, but no property that is called so. */
function withoutTexts(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => isMap || !((key === 'description' || key === 'summary') && typeof each === 'string'))
      .map(([key, each]) => [key, withoutTexts(each, key === 'properties')]),
  );
}

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

type Document = Record<string, Record<string, Record<string, unknown>>>;

test('the interface without its texts is the one of the list (UPDATE=1 writes it)', () => {
  // Not from openapi.json, which another test may be writing at the same time.
  const { paths, webhooks, components, ...rest } = withoutTexts(JSON.parse(openApiText())) as Document;
  const parts: [string, unknown][] = [
    ...Object.entries(paths as object).flatMap(([path, item]) =>
      Object.entries(item as object).map(([method, operation]): [string, unknown] => [`${method} ${path}`, operation]),
    ),
    ...Object.entries(webhooks as object).map(([name, item]): [string, unknown] => [`event ${name}`, item]),
    ...Object.entries(components as object).flatMap(([kind, members]) =>
      Object.entries(members as object).map(([name, member]): [string, unknown] => [`${kind} ${name}`, member]),
    ),
    ['rest', rest],
  ];
  const list = `${parts.map(([name, part]) => `${name} ${hashOf(part)}`).join('\n')}\n`;
  if (process.env['UPDATE']) writeFileSync(LIST, list);
  expect(list.split('\n')).toEqual(readFileSync(LIST, 'utf8').split('\n'));
  expect(parts.length).toBeGreaterThan(1_000);
});
