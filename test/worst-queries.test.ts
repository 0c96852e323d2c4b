// The longest query strings for every filter of every list: they cause no new statements.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { operations } from '../src/operations.ts';
import type { Operation } from '../src/operation/operation.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { BODIES, PARAMETERS } from '../src/openapi-texts/examples.ts';
import { createQuery, runPendingQueries } from './continuous.ts';
import { upload } from './exports.ts';
import { kitTestId, makeUser, orderKit, pushEverySummary, useLink, register, webhookPath } from './factories.ts';

const LONGEST_URL = 8_192;
const LONGEST_MS = 1_000;
const NOBODY = '0197a1b2-0000-7000-8000-000000000000';

/**
 * Statements that run beside the lists every few seconds or once a minute: the look-up of a key, the time of its last
 * use, audit lines of reads, keep-alive of a connection.
 */
const BESIDE = [
  /"opens"/,
  /update team_api_keys k set last_used_at/,
  /insert into audit_log/,
  /^select 1$/,
  /^(begin|commit)$/,
  /^select set_config\('phial\.team'/,
  // The look-up of a key fixes its plan.
  /^select set_config\('plan_cache_mode', 'force_generic_plan', true\)/,
];

/** Lists of data of the program itself. */
const WITHOUT_STATEMENT = new Set(['list_event_types', 'search_diagnoses', 'list_providers']);

type Schema = {
  type?: string | string[];
  enum?: (string | number)[];
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
};

/** Values for the filter: the plain ones, from which every statement text is known, and the worst. */
function valuesOf(schema: Schema): { plain: string[]; worst: string[] } {
  const kind = [schema.type].flat().find((name) => name !== 'null');
  if (schema.items) {
    const { plain, worst } = valuesOf(schema.items);
    const most = (value: string): string =>
      Array.from(
        { length: Math.min(schema.maxItems ?? 0, Math.floor(7_000 / (value.length + 1))) },
        () => value,
      ).join();
    return {
      plain: plain.slice(0, 1),
      worst: [...plain, ...worst].flatMap((value) => [`${value},${value}`, most(value)]),
    };
  }
  if (schema.enum) return { plain: schema.enum.map(String), worst: schema.enum.map(String) };
  if (kind === 'boolean') return { plain: ['true', 'false'], worst: ['1', 'FALSE'] };
  if (kind === 'integer') {
    return {
      plain: [String(Math.max(1, schema.minimum ?? 1))],
      worst: [String(schema.maximum), String(schema.minimum)],
    };
  }
  if (schema.format === 'uuid') return { plain: [NOBODY], worst: [NOBODY.toUpperCase()] };
  if (schema.format === 'cursor') return { plain: [], worst: ['x'.repeat(500)] };
  if (schema.format?.endsWith('-bound'))
    return { plain: ['2026-01-05'], worst: ['2026-01-05T09:30:00.123456789-07:00'] };
  const most = schema.maxLength ?? 0;
  const words = Array.from({ length: 8 }, (_, n) => `word${n}`.padEnd(Math.min(24, most / 8 - 1), 'x')).join(' ');
  return {
    // A search for an id or a day, or for no word, is of another kind.
    plain: ['ada', 'null', "'", NOBODY, '1980-12-10'],
    worst: [words, 'ada lovelace', '% _ \\ '.repeat(most / 7), "'", 'x'.repeat(most), 'é'.repeat(most)],
  };
}

const lists = operations.filter(({ method, query, auth }) => method === 'GET' && query && auth !== 'none');
const filtersOf = (operation: Operation): [name: string, schema: Schema][] =>
  Object.entries((operation.query?.properties ?? {}) as Record<string, Schema>);

type Filter = { name: string; plain: string[]; worst: string[] };

/** The kinds of series of samples that were asked with all values. The same functions answer all lists of one kind. */
const askedWithAll = new Set<string>();
/** The filters of a list with their values, or with one value of each sort if another list of its kind had them all. */
function filtersToAsk(operation: Operation): Filter[] {
  const filters = filtersOf(operation).map(([name, schema]) => ({ name, ...valuesOf(schema) }));
  if (!operation.path.startsWith('/v2/timeseries/{user_id}/')) return filters;
  const kind = JSON.stringify([filters, membersOf(operation.response)]);
  if (askedWithAll.has(kind))
    return filters.map(({ name, plain, worst }) => ({ name, plain: plain.slice(0, 1), worst: worst.slice(0, 1) }));
  askedWithAll.add(kind);
  return filters;
}

/** The names of all members within a shape. */
function membersOf(shape: unknown): string[] {
  if (typeof shape !== 'object' || shape === null) return [];
  const named = 'properties' in shape ? Object.keys(shape.properties as object) : [];
  return [...named, ...Object.values(shape).flatMap(membersOf)];
}

let app: TestApp;
/** The values in the paths of lists: all of one user, who has something of each kind. */
let named: Record<string, unknown> = {};
beforeAll(async () => {
  app = await startTestApp();
  const { team } = app;
  const { user_id } = await makeUser(team);
  const order = await orderKit(team, user_id);
  await register(team, { user_id, sample_id: 'WORST-1' });
  const { sleep, workout } = await pushEverySummary(team, user_id);
  await useLink(team, user_id);
  await upload(team, user_id, '<gpx/>');
  await team.api('POST', `/v2/timeseries/${user_id}/samples`, BODIES['push_samples']);
  const insured = BODIES['create_insurance'] as object;
  await team.api('POST', `/v2/user/${user_id}/insurance`, { ...insured, payor_code: 'SBX00001' });
  const webhook = await team.api<{ id: string }>('POST', webhookPath(team), { url: 'https://receiver.example.com/' });
  const query = await createQuery(team);
  await runPendingQueries(app);
  const event = await app.db.selectFrom('events').select('id').limit(1).executeTakeFirstOrThrow();
  const own = {
    org_id: team.org_id,
    team_id: team.id,
    user_id,
    lab_test_id: await kitTestId(team),
    order_id: order.id,
    webhook_id: webhook.body.id,
    event_id: event.id,
  };
  named = { ...PARAMETERS, ...own, sleep_id: sleep, workout_id: workout, query_id_or_slug: query.body.slug };
});
afterAll(() => app.close());

async function ask(
  operation: Operation,
  query: [name: string, value: string][],
): Promise<{ status: number; ms: number }> {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(named[name]));
  const asked = { ...neededBy(operation), ...Object.fromEntries(query) };
  const url = `${path}?${new URLSearchParams(asked).toString()}`.slice(0, LONGEST_URL);
  const before = process.cpuUsage();
  const started = performance.now();
  const { status } = await app.api('GET', url);
  const { user, system } = process.cpuUsage(before);
  return { status, ms: Math.max((user + system) / 1e3, Math.min(performance.now() - started, LONGEST_MS)) };
}

/** The required query of a list: its example, or its days. */
const neededBy = ({ query }: Operation): Record<string, string> =>
  Object.fromEntries((query?.required ?? []).map((name) => [name, String(PARAMETERS[name] ?? '2026-01-05')]));

/** A value for every filter at once, because statements vary with the given filters. */
const allOf = (
  operation: Operation,
  valueOf: (values: ReturnType<typeof valuesOf>) => string | undefined,
): [name: string, value: string][] =>
  filtersOf(operation).map(([name, schema]) => [name, valueOf(valuesOf(schema))?.slice(0, 300) ?? '']);

/** The texts that the database receives meanwhile. */
async function statementsOf(work: () => Promise<unknown>): Promise<Set<string>> {
  const texts = new Set<string>();
  const { query } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first] = args as [string | { text?: string }];
    texts.add(typeof first === 'string' ? first : (first.text ?? ''));
    return (query as (...all: unknown[]) => unknown).apply(this, args) as never;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return texts;
}

test('every list of the interface is called', () => {
  expect(lists.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      'list_orders',
      'list_users',
      'search_users',
      'search_payors',
      'list_markers',
      'page_lab_tests',
    ]),
  );
});

describe.each(lists.map((operation) => [operation.id, operation] as const))('the filters of %s', (_id, operation) => {
  test('cause no other statement for a longer value, and each is answered in time', async () => {
    const filters = filtersToAsk(operation);
    const known = await statementsOf(async () => {
      expect((await ask(operation, [])).status).toBe(200);
      const choices = filters.flatMap(({ name, plain }) => plain.map((value): [string, string] => [name, value]));
      for (const choice of choices) await ask(operation, [choice]);
      // Order and direction make one text each, also together.
      const sorted = choices.filter(([name]) => name.startsWith('order_'));
      for (const one of sorted) for (const two of sorted) if (one[0] < two[0]) await ask(operation, [one, two]);
      await ask(
        operation,
        allOf(operation, ({ plain, worst }) => plain[0] ?? worst[0]),
      );
    });
    expect(WITHOUT_STATEMENT.has(operation.id) || [...known].some((text) => /select/i.test(text))).toBe(true);
    const slow: string[] = [];
    const later = await statementsOf(async () => {
      for (const { name, worst } of filters) {
        for (const value of worst) {
          const { status, ms } = await ask(operation, [[name, value]]);
          if (status >= 500 || ms > LONGEST_MS) slow.push(`${name}=${value.slice(0, 40)} ${status} ${ms}`);
        }
      }
      const { status, ms } = await ask(
        operation,
        allOf(operation, ({ worst }) => worst[0]),
      );
      if (status >= 500 || ms > LONGEST_MS) slow.push(`all together ${status} ${ms}`);
    });
    const asked = [...later].filter((text) => !BESIDE.some((beside) => beside.test(text)));
    expect(asked.filter((text) => !known.has(text))).toEqual([]);
    expect(slow).toEqual([]);
  }, 60_000);
});

test('more than eight words, or more items than a list accepts, are 422', async () => {
  const words = 'a b c d e f g h';
  for (const path of [
    '/v3/orders?patient_name=',
    '/v3/orders?search_input=',
    '/v3/insurance/search/payor?insurance_name=',
  ]) {
    expect((await app.api('GET', path + encodeURIComponent(words))).status).toBe(200);
    expect((await app.api('GET', path + encodeURIComponent(`${words} i`))).status).toBe(422);
    expect((await app.api('GET', path + encodeURIComponent(`${words}-i`))).status).toBe(422);
  }
  expect((await app.api('GET', `/v3/orders?status=${Array(101).fill('x').join()}`)).status).toBe(422);
});
