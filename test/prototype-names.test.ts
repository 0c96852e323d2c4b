// Sends the names that every plain object has, as values of every parameter.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { PARAMETERS, QUERIES } from '../src/openapi-texts/examples.ts';
import { startTestApp, type TestApp } from './test-app.ts';

const NAMES = Object.getOwnPropertyNames(Object.prototype);
const AT_ONCE = 8;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** URLs with each of the names at each parameter of the query, and of the path where that is a word. */
function* addressesOf({ id, path, query, params }: (typeof operations)[number]): Generator<string> {
  const own: Record<string, unknown> = { ...PARAMETERS, org_id: app.team.org_id, team_id: app.team.id };
  const fill = (changed: Record<string, string> = {}): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(changed[name] ?? own[name])));
  const usual = QUERIES[id] as Record<string, string> | undefined;
  for (const word of NAMES) {
    for (const name of Object.keys(query?.properties ?? {}))
      yield `${fill()}?${new URLSearchParams({ ...usual, [name]: word }).toString()}`;
    for (const [name, { format }] of Object.entries((params?.properties ?? {}) as Record<string, { format?: string }>))
      if (format !== 'uuid') yield `${fill({ [name]: word })}?${new URLSearchParams(usual).toString()}`;
  }
}

test('no name of Object.prototype has an effect, at any filter of any list and any word of any path', async () => {
  const addresses = operations
    .filter(({ method }) => method === 'GET')
    .flatMap((operation) => [...addressesOf(operation)].map((address) => [operation.id, address] as const));
  expect(addresses.length).toBeGreaterThan(3_000);
  const broken: unknown[] = [];
  const ask = async (): Promise<void> => {
    for (let next = addresses.pop(); next; next = addresses.pop()) {
      const [id, address] = next;
      const { status } = await app.api('GET', address);
      if (status >= 500) broken.push([id, address.split('?')[1] ?? address, status]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  expect(broken).toEqual([]);
});
