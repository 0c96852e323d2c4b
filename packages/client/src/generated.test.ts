import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';

type Operation = { parameters?: { $ref?: string }[] };

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

test.each([
  ['schema.ts', writeSchema],
  ['codes.ts', async () => writeCodes()],
  ['keyed-operations.ts', async () => writeKeyedOperations()],
])('%s matches openapi.json (npm run interface writes it again)', async (file, write) => {
  const path = join(import.meta.dirname, file);
  const text = `// Generated from openapi.json by \`npm run interface\`.\n${await write()}`;
  if (process.env['UPDATE']) writeFileSync(path, text);
  expect(firstDifference(readFileSync(path, 'utf8'), text)).toBeNull();
});

/** A key that has a default may be left out of a request, so it is optional. */
async function writeSchema(): Promise<string> {
  const written = JSON.stringify(document, (_, node: unknown) => withOwnCodes(node));
  return astToString(await openapiTS(written, { defaultNonNullable: false }));
}

/** The generator ignores what is beside a `$ref`. There an operation lists its codes. */
function withOwnCodes(node: unknown): unknown {
  if (!isRefusal(node) || !node.properties) return node;
  const { $ref, ...own } = node;
  return { allOf: [{ $ref }, { type: 'object', required: ['code'], ...own }] };
}

function writeCodes(): string {
  const codes = [...new Set(codesWithin(document))].toSorted();
  return `
/** The codes of refusals. */
export type Code =${codes.map((code) => `\n  | '${code}'`).join('')};
`;
}

function writeKeyedOperations(): string {
  const keyed = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { parameters = [] }]) => parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  return `
/** The operations that take an idempotency key. */
export const TAKES_IDEMPOTENCY_KEY: ReadonlySet<string> = new Set([
${keyed.map((name) => `  '${name}',\n`).join('')}]);
`;
}

type RefusalSchema = { $ref: string; properties?: { code?: { enum?: string[] } } };

const isRefusal = (node: unknown): node is RefusalSchema =>
  typeof node === 'object' && node !== null && '$ref' in node && /\/(Error|InvalidRequest)$/.test(String(node.$ref));

/** Returns the codes in all schemas of refusals. */
function codesWithin(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = isRefusal(node) ? (node.properties?.code?.enum ?? []) : [];
  return [...own, ...Object.values(node).flatMap(codesWithin)];
}

/** The comparison of texts of 70,000 lines would print all of them. */
function firstDifference(found: string, wanted: string): string | null {
  const [lines, others] = [found.split('\n'), wanted.split('\n')];
  const at = others.findIndex((line, n) => line !== lines[n]);
  if (at === -1) return lines.length === others.length ? null : `${lines.length} lines, not ${others.length}`;
  return `line ${at + 1}: ${lines[at]}, not ${others[at]}`;
}
