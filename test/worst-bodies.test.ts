// The largest bodies that are read, made as badly as each operation's schema allows: none holds the process up.
import { request as httpRequest } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../src/endpoints.ts';
import type { Endpoint } from '../src/http/endpoint.ts';
import { jsonOf } from '../src/http/media.ts';
import { startTestApp, type TestApp } from './app.ts';
import { linkTokenOf, makeUser } from './factories.ts';

const MOST_BYTES = 1_048_576;
const LONGEST_BLOCK_MS = 100;
const LONGEST_ANSWER_BYTES = 100_000;
const NOBODY = '0197a1b2-0000-7000-8000-000000000000';

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  maxItems?: number;
  maxProperties?: number;
};
const kindOf = ({ type }: Schema): string | undefined => [type].flat().find((kind) => kind !== 'null');

/** A value that has every key of the schema, with `marker` in place of the schema `target`. */
function sample(schema: Schema, target: Schema, marker: string): unknown {
  if (schema === target) return marker;
  if (kindOf(schema) === 'array') return [sample(schema.items ?? {}, target, marker)];
  if (kindOf(schema) === 'object') {
    const members = Object.entries(schema.properties ?? {});
    return Object.fromEntries(members.map(([name, member]) => [name, sample(member, target, marker)]));
  }
  return schema.enum?.[0] ?? (kindOf(schema) === 'string' ? 'x' : 1);
}

/** Every schema within `schema`, itself first. */
const within = (schema: Schema): Schema[] => [
  schema,
  ...Object.values(schema.properties ?? {}).flatMap(within),
  ...(schema.items ? within(schema.items) : []),
];

/** `begin`, then as many of `item` as a body holds, then `end`. */
const filled = (begin: string, item: string, end: string): string =>
  begin + item.repeat(Math.floor((MOST_BYTES - begin.length - end.length) / item.length)) + end;
const filledList = (begin: string, item: string, end: string): string =>
  `${filled(`${begin}[`, `${item},`, `0]${end}`)}`;
const keys = (count: number): string => Array.from({ length: count }, (_, n) => `"k${n}":${n % 10}`).join(',');

const ANYWHERE: Record<string, string> = {
  'a list of numbers': filledList('', '0', ''),
  'a list of empty objects': filledList('', '{}', ''),
  'a deep list': filled('', '[', '') + '',
  'a deep and whole list': '['.repeat(MOST_BYTES / 2) + ']'.repeat(MOST_BYTES / 2),
  'a deep object': filled('', '{"a":', '1'),
  'an object of 50,000 keys': `{${keys(50_000)}}`,
  'an object that says one key again and again': filled('{', '"a":1,', '"a":1}'),
  'a long text': filled('"', 'a', '"'),
  'no JSON': filled('{"a": ', 'tru', ''),
  'a key of one mebibyte': filled('{"', 'k', '":1}'),
  escapes: filled('"', '\\u0041', '"'),
};

/** The worst bodies for one operation, by what is bad in them. */
function* worstBodies(endpoint: Endpoint): Generator<[what: string, text: string]> {
  yield* Object.entries(ANYWHERE);
  const body = jsonOf(endpoint.body);
  if (!body) return;
  for (const target of new Set(within(body as Schema))) {
    const whole = JSON.stringify(sample(body as Schema, target, '@@@'));
    const [begin = '', end = ''] = whole.split('"@@@"');
    const kind = kindOf(target);
    if (kind === 'string') {
      yield [`a long text in ${begin.slice(-40)}`, filled(`${begin}"`, 'a', `"${end}`)];
      yield [`spaces in ${begin.slice(-40)}`, filled(`${begin}"x`, ' ', `x"${end}`)];
    }
    if (kind === 'array') {
      const one = JSON.stringify(sample(target.items ?? {}, {}, ''));
      yield [`a long list of zeros in ${begin.slice(-40)}`, filledList(begin, '0', end)];
      yield [`a long list of its items in ${begin.slice(-40)}`, filledList(begin, one, end)];
      const wrong = Array.from({ length: target.maxItems ?? 0 }, () => 'null').join(',');
      yield [`as many wrong items as it takes in ${begin.slice(-40)}`, `${begin}[${wrong}]${end}`];
    }
    if (kind === 'object') {
      yield [`many keys in ${begin.slice(-40)}`, `${begin}{${keys(50_000)}}${end}`];
      const most = Math.floor((MOST_BYTES - whole.length) / ((target.maxProperties ?? 1) + 1)) - 20;
      yield [
        `as many keys as it takes in ${begin.slice(-40)}`,
        `${begin}{${Array.from({ length: target.maxProperties ?? 0 }, (_, n) => `"k${n}":"${'v'.repeat(most)}"`).join(',')}}${end}`,
      ];
    }
    yield [`a deep list in ${begin.slice(-40)}`, filled(begin + '['.repeat(200_000), ' ', ']'.repeat(200_000) + end)];
  }
}

let app: TestApp;
let linkToken: string;
beforeAll(async () => {
  app = await startTestApp();
  const { user_id } = await makeUser(app.team);
  linkToken = (await linkTokenOf(app.team, user_id)).link_token;
});
afterAll(() => app.close());

function send(endpoint: Endpoint, body: Buffer): Promise<{ status: number; bytes: number }> {
  const { hostname, port } = new URL(app.baseUrl);
  const named: Record<string, string> = {
    org_id: app.team.org_id,
    team_id: app.team.id,
    environment: 'sandbox',
    env: 'sandbox',
    region: 'us',
    lab_id: '1',
  };
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? NOBODY);
  const headers = {
    'x-service-api-key': app.team.api_key,
    ...(endpoint.auth === 'link_token' ? { 'x-service-link-token': linkToken } : {}),
    ...(endpoint.auth === 'management_key' ? { 'x-management-key': app.team.management_key } : {}),
    'content-type': 'application/json',
    'content-length': body.length,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method: endpoint.method, path, headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/**
 * The longest time that the loop stood still, in milliseconds. Of the best of several tries, and never more than what
 * the process computed meanwhile: a busy machine is no fault of a body.
 */
async function blockedBy(work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < 5 && best > LONGEST_BLOCK_MS; round += 1) {
    const delay = monitorEventLoopDelay({ resolution: 2 });
    delay.enable();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    await new Promise((resolve) => setTimeout(resolve, 5));
    delay.disable();
    best = Math.min(best, delay.max / 1e6, (user + system) / 1e3);
  }
  return best;
}

test('a loop that stands still would be noticed', async () => {
  const standStill = async (): Promise<void> => {
    const before = process.cpuUsage();
    const spent = (): number => process.cpuUsage(before).user + process.cpuUsage(before).system;
    while (spent() < 2 * LONGEST_BLOCK_MS * 1e3);
  };
  expect(await blockedBy(standStill)).toBeGreaterThan(LONGEST_BLOCK_MS);
});

const withBody = endpoints.filter(({ method }) => method !== 'GET');
test.each(withBody.map((endpoint) => [endpoint.id, endpoint] as const))(
  'no body of one mebibyte holds %s up',
  async (_id, endpoint) => {
    for (const [what, text] of worstBodies(endpoint)) {
      const body = Buffer.from(text).subarray(0, MOST_BYTES);
      let answer = { status: 0, bytes: 0 };
      const blocked = await blockedBy(async () => {
        answer = await send(endpoint, body);
      });
      expect({ what, blocked: blocked > LONGEST_BLOCK_MS ? blocked : 'shortly' }).toEqual({ what, blocked: 'shortly' });
      expect({ what, bytes: answer.bytes > LONGEST_ANSWER_BYTES ? answer.bytes : 'few' }).toEqual({
        what,
        bytes: 'few',
      });
      expect({ what, status: answer.status }).toEqual({
        what,
        status: expect.toSatisfy((status: number) => status < 500),
      });
    }
  },
  120_000,
);
