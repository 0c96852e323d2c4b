// The largest bodies that we read, made as badly as each operation's schema allows. None blocks the process.
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import type { Operation } from '../src/operation/operation.ts';
import { isForm, jsonOf } from '../src/operation/media.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { linkTokenOf, makeUser } from './factories.ts';
import { longestStall } from './longest-stall.ts';
import { slowness } from './slowness.ts';
import { EDGE, filled, MAX_BYTES, WORST_FORMS } from './worst-forms.ts';

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

/** A value with every key of the schema, and `marker` for the schema `target`. */
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

const filledList = (begin: string, item: string, end: string): Buffer => filled(`${begin}[`, `${item},`, `0]${end}`);
const [DEEP_BEGIN, DEEP_END] = ['['.repeat(200_000), ']'.repeat(200_000)];
const MANY_KEYS = Array.from({ length: 50_000 }, (_, n) => `"k${n}":${n % 10}`).join(',');

const ANYWHERE: Record<string, Buffer> = {
  'a list of numbers': filledList('', '0', ''),
  'a list of empty objects': filledList('', '{}', ''),
  'a deep list': filled('', '[', ''),
  'a deep and whole list': Buffer.from('['.repeat(MAX_BYTES / 2) + ']'.repeat(MAX_BYTES / 2)),
  'a deep object': filled('', '{"a":', '1'),
  'an object of 50,000 keys': Buffer.from(`{${MANY_KEYS}}`),
  'an object that says one key again and again': filled('{', '"a":1,', '"a":1}'),
  'a long text': filled('"', 'a', '"'),
  'no JSON': filled('{"a": ', 'tru', ''),
  'a key of one mebibyte': filled('{"', 'k', '":1}'),
  escapes: filled('"', '\\u0041', '"'),
};

/** The demands of a schema. Two that differ only in their texts have the same demands. */
const askedBy = (schema: Schema): string =>
  JSON.stringify(schema, (key, value: unknown) => (WORDS.has(key) && typeof value === 'string' ? undefined : value));
const WORDS = new Set(['title', 'description']);

/**
 * A body and its problem. `kind` is set if the bytes of the problem do not depend on the schema; `badIn` names the
 * schema of the problem, if the operation has one.
 */
type Worst = { what: string; kind?: string; badIn?: string; bytes: () => Buffer };
/** The kinds of problems within a schema whose bytes do not depend on it. */
const SAME_IN_EACH_SCHEMA = new Set(['a deep list', 'many keys', 'a long list of zeros']);

/** The worst bodies for one operation. */
function* worstBodies(operation: Operation): Generator<Worst> {
  const body = jsonOf(operation.body);
  for (const [what, bytes] of Object.entries(ANYWHERE))
    yield { what, kind: what, bytes: () => bytes, ...(body && { badIn: `${what} in ${askedBy(body as Schema)}` }) };
  if (!body) return;
  for (const target of new Set(within(body as Schema))) {
    const [begin = '', ...rest] = JSON.stringify(sample(body as Schema, target, '@@@')).split('"@@@"');
    // A schema that occurs twice keeps its marker in the second place.
    const end = rest.join('"@@@"');
    const asked = askedBy(target);
    for (const [kind, bytes] of Object.entries(worstIn(target, begin, end)))
      yield {
        what: `${kind} in ${begin.slice(-40)}`,
        ...(SAME_IN_EACH_SCHEMA.has(kind) && { kind: `${kind} in a schema` }),
        badIn: `${kind} in ${asked}`,
        bytes,
      };
  }
}

/** The worst values for one schema, between the parts of the body before and after it. */
function worstIn(target: Schema, begin: string, end: string): Record<string, () => Buffer> {
  const worst: Record<string, () => Buffer> = {
    'a deep list': () => filled(begin + DEEP_BEGIN, ' ', DEEP_END + end),
  };
  const kind = kindOf(target);
  if (kind === 'string') {
    worst['a long text'] = () => filled(`${begin}"`, 'a', `"${end}`);
    worst['spaces'] = () => filled(`${begin}"x`, ' ', `x"${end}`);
  }
  if (kind === 'array') {
    worst['a long list of zeros'] = () => filledList(begin, '0', end);
    worst['a long list of its items'] = () =>
      filledList(begin, JSON.stringify(sample(target.items ?? {}, {}, '')), end);
    worst['as many wrong items as it takes'] = () => {
      const wrong = Array.from({ length: target.maxItems ?? 0 }, () => 'null').join(',');
      return Buffer.from(`${begin}[${wrong}]${end}`);
    };
  }
  if (kind === 'object') {
    worst['many keys'] = () => Buffer.from(`${begin}{${MANY_KEYS}}${end}`);
    worst['as many keys as it takes'] = () => {
      const length = target.maxProperties ?? 0;
      const most = Math.floor((MAX_BYTES - begin.length - end.length - 5) / (length + 1)) - 20;
      const members = Array.from({ length }, (_, n) => `"k${n}":"${'v'.repeat(most)}"`);
      return Buffer.from(`${begin}{${members.join(',')}}${end}`);
    };
  }
  return worst;
}

let app: TestApp;
let linkToken: string;
beforeAll(async () => {
  app = await startTestApp();
  const { user_id } = await makeUser(app.team);
  linkToken = (await linkTokenOf(app.team, user_id)).link_token;
});
afterAll(() => app.close());

/** An answer, and what refused the body: the check of the schema, or the reader before it. */
type Sent = { status: number; bytes: number; byCheck: boolean; byReader: boolean };

function send(operation: Operation, body: Buffer, type = 'application/json'): Promise<Sent> {
  const { hostname, port } = new URL(app.baseUrl);
  const named: Record<string, string> = {
    org_id: app.team.org_id,
    // No team is deleted, because its key opens the other operations.
    team_id: operation.id === 'delete_team' ? NOBODY : app.team.id,
    environment: 'sandbox',
    env: 'sandbox',
    region: 'us',
    lab_id: '1',
  };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? NOBODY);
  const headers = {
    'x-service-api-key': app.team.api_key,
    ...(operation.auth === 'link_token' ? { 'x-service-link-token': linkToken } : {}),
    ...(operation.auth === 'management_key' ? { 'x-management-key': app.team.management_key } : {}),
    'content-type': type,
    'content-length': body.length,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method: operation.method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const answer = Buffer.concat(chunks);
        const byCheck = answer.includes('"code":"validation_failed"');
        const byReader = answer.includes('"json_invalid"') || answer.includes('The body may be nested');
        resolve({ status: response.statusCode ?? 0, bytes: answer.length, byCheck, byReader });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** The longest time in which the event loop was blocked, in milliseconds. It is the best of several tries. */
async function blockedBy(work: () => Promise<unknown>, tries = 5): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < tries && best > LONGEST_BLOCK_MS; round += 1)
    best = Math.min(best, await longestStall(work));
  return best;
}

test('a blocked event loop is noticed, and an idle one is not', async () => {
  const standStill = async (): Promise<void> => {
    const before = process.cpuUsage();
    const spent = (): number => process.cpuUsage(before).user + process.cpuUsage(before).system;
    while (spent() < 2 * slowness() * LONGEST_BLOCK_MS * 1e3);
  };
  expect(await blockedBy(standStill, 1)).toBeGreaterThan(LONGEST_BLOCK_MS);
  await standStill();
  expect(await blockedBy(async () => undefined)).toBeLessThan(LONGEST_BLOCK_MS);
});

/** The answer of the service, or a number where it was too slow or too large. */
async function takenBy(operation: Operation, bytes: Buffer, type?: string) {
  const body = bytes.subarray(0, MAX_BYTES);
  let answer: Sent = { status: 0, bytes: 0, byCheck: false, byReader: false };
  const blocked = await blockedBy(async () => {
    answer = await send(operation, body, type);
  });
  return {
    blocked: blocked > LONGEST_BLOCK_MS ? blocked : 'shortly',
    bytes: answer.bytes > LONGEST_ANSWER_BYTES ? answer.bytes : 'few',
    status: answer.status,
    byCheck: answer.byCheck,
    byReader: answer.byReader,
  };
}

/**
 * The refusals of the schema check in one operation. All operations have that check, and a refused body reaches no
 * service function. So the test does not send the same to another operation with the same demands.
 */
const refusedByCheck = new Set<string>();
/** The refusals of a reader, which knows no schema: operations with the same kind of body have the same reader. */
const refusedByReader = new Set<string>();
const readerOf = ({ body }: Operation): string => (body && 'media' in body ? body.media : 'json');

// Operations of a session take no body, and nobody is signed in here.
const withBody = operations.filter(({ method, auth }) => method !== 'GET' && auth !== 'session');
test.each(withBody.map((operation) => [operation.id, operation] as const))(
  'no body of one mebibyte blocks %s',
  async (_id, operation) => {
    for (const { what, kind, badIn, bytes } of worstBodies(operation)) {
      const atReader = kind && `${kind} at ${readerOf(operation)}`;
      if ((atReader && refusedByReader.has(atReader)) || (badIn && refusedByCheck.has(badIn))) continue;
      const { byCheck, byReader, ...taken } = { what, ...(await takenBy(operation, bytes())) };
      if (byReader && atReader) refusedByReader.add(atReader);
      else if (badIn && byCheck) refusedByCheck.add(badIn);
      // The caller was known, so the body was read.
      const status: unknown = expect.toSatisfy((answered: number) => answered < 500 && answered !== 401);
      expect(taken).toEqual({ what, blocked: 'shortly', bytes: 'few', status });
    }
  },
  120_000,
);

const withForm = operations.filter(({ body }) => isForm(body));
test.each(
  withForm.flatMap((operation) => Object.keys(WORST_FORMS).map((what) => [operation.id, what, operation] as const)),
)('no form of one mebibyte blocks %s: %s', async (_id, what, operation) => {
  const [bytes, edge = EDGE] = WORST_FORMS[what] as [Buffer, string?];
  const {
    byCheck: _,
    byReader: __,
    ...taken
  } = await takenBy(operation, bytes, `multipart/form-data; boundary=${edge}`);
  // It was read, and not refused because of its headers.
  const status: unknown = expect.toSatisfy((answered: number) => answered < 500 && ![415, 431].includes(answered));
  expect(taken).toEqual({ blocked: 'shortly', bytes: 'few', status });
});
