// Sends the names that every plain object has, as values of every parameter.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { operations } from '../src/operations.ts';
import { PARAMETERS, QUERIES } from '../src/openapi-texts/examples.ts';
import { startTestApp, type Answer, type TestApp } from './test-app.ts';

const NAMES = Object.getOwnPropertyNames(Object.prototype);
/** The names with values of their own kind: an object and a class. */
const SPECIAL = ['__proto__', 'constructor'];
/** The names of methods. A look-up finds the same in each: a function. So each parameter gets one, in turn. */
const METHODS = NAMES.filter((name) => !SPECIAL.includes(name));
const AT_ONCE = 8;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

let methodsGiven = 0;
const wordsOfNext = (): string[] => [...SPECIAL, METHODS[methodsGiven++ % METHODS.length] as string];

/** URLs with names at each parameter of the query, and of the path where that is a word. */
function* addressesOf({ id, path, query, params }: (typeof operations)[number]): Generator<string> {
  const own: Record<string, unknown> = { ...PARAMETERS, org_id: app.team.org_id, team_id: app.team.id };
  const fill = (changed: Record<string, string> = {}): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(changed[name] ?? own[name])));
  const usual = QUERIES[id] as Record<string, string> | undefined;
  for (const name of Object.keys(query?.properties ?? {}))
    for (const word of wordsOfNext()) yield `${fill()}?${new URLSearchParams({ ...usual, [name]: word }).toString()}`;
  for (const [name, { format }] of Object.entries((params?.properties ?? {}) as Record<string, { format?: string }>)) {
    if (format === 'uuid') continue;
    for (const word of wordsOfNext()) yield `${fill({ [name]: word })}?${new URLSearchParams(usual).toString()}`;
  }
}

test('__proto__, constructor and a method have no effect at any filter of any list or word of any path', async () => {
  const addresses = operations
    .filter(({ method }) => method === 'GET')
    .flatMap((operation) => [...addressesOf(operation)].map((address) => [operation.id, address] as const));
  expect(addresses.length).toBeGreaterThan(750);
  const methodsSent = METHODS.filter((name) => addresses.some(([, address]) => address.includes(name)));
  expect(methodsSent).toEqual(METHODS);
  const broken: unknown[] = [];
  const ask = async (): Promise<void> => {
    for (let next = addresses.pop(); next; next = addresses.pop()) {
      const [id, address] = next;
      const { status } = await answerOf(address);
      if (status >= 500) broken.push([id, address.split('?')[1] ?? address, status]);
    }
  };
  // An organisation has few exports of its audit log at a time. The next one is refused, and asked for again.
  const answerOf = (address: string): Promise<Answer<unknown>> =>
    vi.waitFor(async () => {
      const answer = await app.api<unknown>('GET', address);
      if (answer.status === 503) throw new Error(address);
      return answer;
    }, 30_000);
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  expect(broken).toEqual([]);
});
