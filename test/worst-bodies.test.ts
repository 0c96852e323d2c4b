// The largest bodies that we read, made as badly as each operation's schema allows. None blocks the process.
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import type { Operation } from '../src/operation/operation.ts';
import { isForm, jsonOf } from '../src/operation/media.ts';
import { startTestApp, type TestApp } from './test-app.ts';
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

/** `begin`, then as many of `item` as a body can hold, then `end`. */
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

/** The demands of a schema. Two that differ only in their texts have the same demands. */
const askedBy = (schema: Schema): string =>
  JSON.stringify(schema, (key, value: unknown) => (WORDS.has(key) && typeof value === 'string' ? undefined : value));
const WORDS = new Set(['title', 'description']);

/** A body and its problem. `badIn` names the schema of the problem, unless the whole body is bad. */
type Worst = { what: string; badIn?: string; text: () => string };

/** The worst bodies for one operation. */
function* worstBodies(operation: Operation): Generator<Worst> {
  for (const [what, text] of Object.entries(ANYWHERE)) yield { what, text: () => text };
  const body = jsonOf(operation.body);
  if (!body) return;
  for (const target of new Set(within(body as Schema))) {
    const [begin = '', end = ''] = JSON.stringify(sample(body as Schema, target, '@@@')).split('"@@@"');
    const asked = askedBy(target);
    for (const [kind, text] of Object.entries(worstIn(target, begin, end)))
      yield { what: `${kind} in ${begin.slice(-40)}`, badIn: `${kind} in ${asked}`, text };
  }
}

/** The worst values for one schema, between the parts of the body before and after it. */
function worstIn(target: Schema, begin: string, end: string): Record<string, () => string> {
  const worst: Record<string, () => string> = {
    'a deep list': () => filled(begin + '['.repeat(200_000), ' ', ']'.repeat(200_000) + end),
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
      return `${begin}[${wrong}]${end}`;
    };
  }
  if (kind === 'object') {
    worst['many keys'] = () => `${begin}{${keys(50_000)}}${end}`;
    worst['as many keys as it takes'] = () => {
      const length = target.maxProperties ?? 0;
      const most = Math.floor((MOST_BYTES - begin.length - end.length - 5) / (length + 1)) - 20;
      return `${begin}{${Array.from({ length }, (_, n) => `"k${n}":"${'v'.repeat(most)}"`).join(',')}}${end}`;
    };
  }
  return worst;
}

const EDGE = 'edge';
const PART = `--${EDGE}\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n`;
const FIELD = `--${EDGE}\r\nContent-Disposition: form-data; name="user_id"\r\n\r\n`;
const END = `\r\n--${EDGE}--\r\n`;
/** The longest form that a header can announce. */
const LONG_EDGE = 'e'.repeat(8_000);

/** The worst forms, by their problem, with the boundary of each. */
const WORST_FORMS: Record<string, [text: string, edge?: string]> = {
  'as many parts as fit': [filled('', `--${EDGE}\r\n\r\n\r\n`, END)],
  'as many fields as fit': [filled('', `${FIELD}x\r\n`, END)],
  'as many files as fit': [filled('', `${PART}\r\n%PDF-\r\n`, END)],
  'edges alone': [filled('', `--${EDGE}\r\n`, '')],
  'almost edges in a file': [filled(`${PART}\r\n%PDF-`, `\r\n--${EDGE.slice(0, -1)}`, END)],
  'beginnings of edges in a file': [filled(`${PART}\r\n%PDF-`, '\r\n-', END)],
  'returns in a file': [filled(`${PART}\r\n%PDF-`, '\r', END)],
  'dashes in a file': [filled(`${PART}\r\n%PDF-`, '-', END)],
  'a header without an end': [filled(`${PART}X-A: `, 'a', '')],
  'many headers': [filled(PART, 'X-A: a\r\n', `\r\n%PDF-${END}`)],
  'a header of many lines': [filled(`${PART}X-A: a\r\n`, ' a\r\n', `\r\n%PDF-${END}`)],
  'a long name': [filled(`--${EDGE}\r\nContent-Disposition: form-data; name="`, 'a', `"\r\n\r\nx${END}`)],
  'many parameters': [filled(`--${EDGE}\r\nContent-Disposition: form-data`, '; name="a"', `\r\n\r\nx${END}`)],
  'many parameters in each part': [
    filled('', `--${EDGE}\r\nContent-Disposition: form-data${"; a*=utf-8''%41".repeat(200)}\r\n\r\nx\r\n`, END),
  ],
  'escapes in a name': [filled(`--${EDGE}\r\nContent-Disposition: form-data; name="`, '\\"', `"\r\n\r\nx${END}`)],
  'a long field': [filled(FIELD, 'a', END)],
  'forms within forms': [filled('', `--${EDGE}\r\nContent-Type: multipart/mixed; boundary=${EDGE}\r\n\r\n`, END)],
  'a file without an end': [filled(`${PART}\r\n%PDF-`, 'a', '')],
  'no form': [filled('', 'a', '')],
  'a long edge, almost again and again': [
    filled(`--${LONG_EDGE}${PART.slice(EDGE.length + 2)}\r\n%PDF-`, `\r\n--${LONG_EDGE.slice(0, -1)}`, ''),
    LONG_EDGE,
  ],
  'a long edge in a text of its letter': [
    filled(`--${LONG_EDGE}${PART.slice(EDGE.length + 2)}\r\n%PDF-\r\n--`, 'e', ''),
    LONG_EDGE,
  ],
};

let app: TestApp;
let linkToken: string;
beforeAll(async () => {
  app = await startTestApp();
  const { user_id } = await makeUser(app.team);
  linkToken = (await linkTokenOf(app.team, user_id)).link_token;
});
afterAll(() => app.close());

type Sent = { status: number; bytes: number; byCheck: boolean };

function send(operation: Operation, body: Buffer, type = 'application/json'): Promise<Sent> {
  const { hostname, port } = new URL(app.baseUrl);
  const named: Record<string, string> = {
    org_id: app.team.org_id,
    team_id: app.team.id,
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
        resolve({ status: response.statusCode ?? 0, bytes: answer.length, byCheck });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

let lookedAt = performance.now();
let longestMs = 0;
/** A timer that fires every other millisecond. If it was late, the process was blocked. */
function look(): void {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - lookedAt);
  lookedAt = now;
}
const looking = setInterval(look, 2);
afterAll(() => clearInterval(looking));

/**
 * The longest time in which the event loop was blocked, in milliseconds. It is the best of several tries, and at most
 * the processor time of the process, because a busy machine is no fault of a body.
 */
async function blockedBy(work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < 5 && best > LONGEST_BLOCK_MS; round += 1) {
    look();
    longestMs = 0;
    const before = process.cpuUsage();
    await work();
    look();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, longestMs, (user + system) / 1e3);
  }
  return best;
}

test('a blocked event loop is noticed, and an idle one is not', async () => {
  const standStill = async (): Promise<void> => {
    const before = process.cpuUsage();
    const spent = (): number => process.cpuUsage(before).user + process.cpuUsage(before).system;
    while (spent() < 2 * LONGEST_BLOCK_MS * 1e3);
  };
  expect(await blockedBy(standStill)).toBeGreaterThan(LONGEST_BLOCK_MS);
  await standStill();
  expect(await blockedBy(async () => undefined)).toBeLessThan(LONGEST_BLOCK_MS);
});

/** The answer of the service, or a number where it was too slow or too large. */
async function takenBy(operation: Operation, text: string, type?: string) {
  const body = Buffer.from(text).subarray(0, MOST_BYTES);
  let answer: Sent = { status: 0, bytes: 0, byCheck: false };
  const blocked = await blockedBy(async () => {
    answer = await send(operation, body, type);
  });
  return {
    blocked: blocked > LONGEST_BLOCK_MS ? blocked : 'shortly',
    bytes: answer.bytes > LONGEST_ANSWER_BYTES ? answer.bytes : 'few',
    status: answer.status,
    byCheck: answer.byCheck,
  };
}

/**
 * The refusals of the schema check in one operation. All operations have that check, and a refused body reaches no
 * service function. So the test does not send the same to another operation with the same demands.
 */
const refusedByCheck = new Set<string>();

const withBody = operations.filter(({ method }) => method !== 'GET');
test.each(withBody.map((operation) => [operation.id, operation] as const))(
  'no body of one mebibyte blocks %s',
  async (_id, operation) => {
    for (const { what, badIn, text } of worstBodies(operation)) {
      if (badIn && refusedByCheck.has(badIn)) continue;
      const { byCheck, ...taken } = { what, ...(await takenBy(operation, text())) };
      if (badIn && byCheck) refusedByCheck.add(badIn);
      const status: unknown = expect.toSatisfy((answered: number) => answered < 500);
      expect(taken).toEqual({ what, blocked: 'shortly', bytes: 'few', status });
    }
  },
  120_000,
);

const withForm = operations.filter(({ body }) => isForm(body));
test.each(
  withForm.flatMap((operation) => Object.keys(WORST_FORMS).map((what) => [operation.id, what, operation] as const)),
)('no form of one mebibyte blocks %s: %s', async (_id, what, operation) => {
  const [text, edge = EDGE] = WORST_FORMS[what] as [string, string?];
  const { byCheck: _, ...taken } = await takenBy(operation, text, `multipart/form-data; boundary=${edge}`);
  // It was read, and not refused because of its headers.
  const status: unknown = expect.toSatisfy((answered: number) => answered < 500 && ![415, 431].includes(answered));
  expect(taken).toEqual({ blocked: 'shortly', bytes: 'few', status });
});
