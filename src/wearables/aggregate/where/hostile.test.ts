// Hostile texts in a `where`. Each is parsed quickly, and is either refused with its location, or matches only the rows
// that it describes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { longestStall } from '../../../../test/longest-stall.ts';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { makeUser, pushSummaries } from '../../../../test/factories.ts';
import { parseWhere } from './parse-condition.ts';

let app: TestApp;
let userId: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ user_id: userId } = await makeUser(app.team));
  const run = { provider: 'garmin', sport: 'running', steps: 8_000 };
  await pushSummaries(app.team, userId, 'workouts', [
    {
      ...run,
      title: "O'Hara's hill; drop table users --",
      time_start: '2026-01-05T07:00:00Z',
      time_end: '2026-01-05T08:00:00Z',
    },
    { ...run, title: 'Läufe 🏃', time_start: '2026-01-06T07:00:00Z', time_end: '2026-01-06T08:00:00Z' },
  ]);
});
afterAll(() => app.close());

const MAX_MS = 1_500;

async function ask(where: unknown): Promise<{ status: number; rows: number; paths: string[]; msg: string }> {
  const begin = performance.now();
  const { status, body } = await app.api<{
    results: { table: Record<string, unknown[]> }[];
    detail: { loc: (string | number)[]; msg: string }[];
  }>('POST', `/aggregate/v1/user/${userId}/query`, {
    timeframe: { type: 'relative', anchor: '2026-01-11', past: { unit: 'week' } },
    queries: [{ select: [{ workout: 'steps' }], where }],
  });
  expect(performance.now() - begin).toBeLessThan(MAX_MS);
  return {
    status,
    rows: body.results?.[0]?.table['workout.steps']?.length ?? -1,
    paths: body.detail?.map(({ loc }) => loc.join('.')) ?? [],
    msg: body.detail?.[0]?.msg ?? '',
  };
}

const many = (text: string, times: number, between = ''): string =>
  Array.from({ length: times }, () => text).join(between);

describe('a where is refused with its location', () => {
  test.each<[what: string, where: unknown, msg: string]>([
    ['parentheses that are nested 21 deep', `${many('(', 21)}steps > 1${many(')', 21)}`, 'at most 20 deep'],
    ['parentheses that are nested 1,900 deep', `${many('(', 1_900)}steps > 1${many(')', 1_900)}`, 'at most 20 deep'],
    ['50,000 open parentheses', many('(', 50_000), 'at most 4000 characters'],
    ['900 times NOT', `${many('NOT ', 900)}steps > 1`, 'at most 20 deep'],
    ['101 terms', many('steps > 1', 101, ' OR '), 'At most 100 comparisons'],
    ['50,000 terms', many('steps > 1', 50_000, ' OR '), 'at most 4000 characters'],
    ['a text without an end', "title = 'Round", 'no closing quote'],
    ['a quote that ends a text', "title = 'a' OR 'a' = 'a'", 'needs a column'],
    ['double quotes', 'title = "a"', 'single quotes'],
    ['a very long text', `title = '${'x'.repeat(100_000)}'`, 'at most 4000 characters'],
    ['a number that is too large', 'steps > 1e999', 'too large'],
    ['an invalid number', 'steps > 1.2.3', 'end is missing'],
    ['a line comment', 'steps > 1 -- AND steps < 0', 'Only columns'],
    ['a comment between words', 'steps /* > 1 */ > 1', 'Only columns'],
    ['a semicolon', 'steps > 1; drop table users', 'Only columns'],
    ['a function', 'pg_sleep(10) = 1', 'end is missing'],
    ['a query', 'steps > (select 1)', 'column or a value'],
    ['a cast', "steps > '1'::float8", 'Only columns'],
    ['a parameter', 'steps > $1', 'Only columns'],
    ['arithmetic', 'steps + 1 > 2', 'Only columns'],
    ['an assignment', 'steps := 1', 'Only columns'],
    ['another operator', 'steps <> 1', 'column or a value'],
    ['LIKE', "title LIKE 'a%'", 'end is missing'],
    ['IS NULL', 'steps IS NULL', 'end is missing'],
    ['constants alone', '1 = 1', 'needs a column'],
    ['a number as a condition', '1', 'Only TRUE, FALSE, NULL'],
    ['a number column as a condition', 'steps', 'Only TRUE, FALSE, NULL'],
    ['nothing', '', 'column or a value'],
    ['spaces', '   ', 'column or a value'],
    ['half a comparison', 'steps >', 'column or a value'],
    ['half a conjunction', 'steps > 1 AND', 'column or a value'],
    ['a closing parenthesis', 'steps > 1)', 'end is missing'],
    ['a column of the database', 'user_id = NULL', 'no column user_id'],
    ['a column of another table', 'activity.steps > 1', 'no column activity.steps'],
    ['a column of the row', 'values = NULL', 'no column values'],
    ['__proto__', '__proto__ = NULL', 'no column __proto__'],
    ['constructor', 'constructor != NULL', 'no column constructor'],
    ['hasOwnProperty', 'workout.hasOwnProperty != NULL', 'no column workout.hasOwnProperty'],
    ['toString', 'toString != NULL', 'no column toString'],
    ['letters of other alphabets', 'шаги > 1', 'Only columns'],
    ['a full-width letter', 'ｓteps > 1', 'Only columns'],
    ['a zero-width space', 'steps\u2003>\u200b1', 'Only columns'],
    ['a text for a number', "steps > 'many'", 'compared with a number'],
    ['a number for a text', 'sport_slug = 1', 'compared with a quoted text'],
    ['a truth value for a number', 'steps = TRUE', 'compared with a number'],
    ['NULL with an order', 'steps > NULL', '= and != only'],
    ['an invalid moment', "session_start > 'yesterday'", 'compared with a quoted moment'],
    ['a moment before the year 1', "session_start > '0001-01-01T00:00:00+15:00'", 'compared with a quoted moment'],
    ['a moment after the year 9999', "session_start < '9999-12-31T23:59:59-15:00'", 'compared with a quoted moment'],
    ['an invalid day', "session_start > '2026-02-30'", 'compared with a quoted moment'],
    ['a sealed column and a plain one', 'title = sport_name', 'kept sealed'],
    ['columns of two kinds', 'steps = sport_name', 'cannot be compared'],
  ])('%s', async (_what, where, msg) => {
    const response = await ask(where);
    expect([response.status, response.paths]).toEqual([422, ['body.queries.0.where']]);
    expect(response.msg.toLowerCase()).toContain(msg.toLowerCase());
  });

  test.each([
    ['a zero character', "title = 'a\u0000b'"],
    ['half a surrogate pair', "title = '\ud83c'"],
    ['a number', 7],
    ['a list', ['steps > 1']],
    ['an object', { steps: 1 }],
  ])('%s', async (_what, where) => {
    const response = await ask(where);
    expect([response.status, response.paths]).toEqual([422, ['body.queries.0.where']]);
  });

  test.each(['timestamp', 'start', 'timeseries.steps.Time'])(
    'by %s of samples, with advice to use the timeframe',
    async (name) => {
      const response = await app.api<{ detail: { loc: unknown[]; msg: string }[] }>(
        'POST',
        `/aggregate/v1/user/${userId}/query`,
        {
          timeframe: { type: 'relative', anchor: '2026-01-05', past: { unit: 'day', value: 1 } },
          queries: [{ select: [{ timeseries: 'steps' }], where: `${name} > '2026-01-05T07:00:00Z'` }],
        },
      );
      expect([response.status, response.body.detail]).toMatchObject([
        422,
        [
          {
            loc: ['body', 'queries', 0, 'where'],
            msg: expect.stringMatching(
              /no column .*: timeframe chooses rows by their time, and date_trunc or date_part/,
            ),
          },
        ],
      ]);
    },
  );

  test('names the character', async () => {
    expect((await ask('steps > 1 AND luck = 2')).msg).toBe('At character 15: The table has no column luck');
    expect((await ask('steps > 1 AND (steps < 3')).msg).toBe('At character 25: A closing parenthesis is missing');
  });
});

describe('a where matches the right number of rows', () => {
  test.each<[where: string | null, rows: number]>([
    [null, 2],
    ["title = 'O''Hara''s hill; drop table users --'", 1],
    ["title = 'Läufe 🏃'", 1],
    ["title > 'Läufe'", 2],
    ["title >= 'O'", 1],
    ["title < 'O'", 1],
    ["title <= 'Läufe 🏃'", 1],
    ["title != 'Läufe 🏃'", 1],
    ["title = 'nobody''s'", 0],
    ["title != 'nobody''s'", 2],
    ["title = ''", 0],
    ['title = map_polyline', 0],
    ["title = '%'", 0],
    ["title = '\\'", 0],
    ["title = '$1'", 0],
    ["sport_slug = 'running' or 1 > steps", 2],
    ["sport_slug = ''' or true --'", 0],
    ['steps > -1e308 AND steps < 1e308', 2],
    ['steps = 8000', 2],
    ['8000 = steps', 2],
    ['8001 > steps', 2],
    ['8000 > steps', 0],
    ['steps = +8.0e3', 2],
    ['steps > .5', 2],
    ['steps = 8000 OR steps = 1 AND steps = 2', 2],
    ['(steps = 8000 OR steps = 1) AND steps = 2', 0],
    ['NOT steps = 8000', 0],
    ['NOT NOT steps = 8000', 2],
    ['NOT (steps = 8000 AND heart_rate_mean = 1)', 0],
    ['NOT (steps = 8000 AND heart_rate_mean = NULL)', 0],
    ['TRUE', 2],
    ['FALSE OR NOT TRUE', 0],
    ['NULL', 0],
    ['heart_rate_mean = NULL', 2],
    ['NULL != heart_rate_mean', 0],
    ['heart_rate_mean != 5', 0],
    ["session_start >= '2026-01-06'", 1],
    ["session_start >= '2026-01-06T08:00:00+01:00'", 1],
    ['session_end > session_start', 2],
    ["session_start < '0001-01-02'", 0],
    ["session_start < '9999-12-31T23:59:59Z'", 2],
    [many('steps > 1', 100, ' AND '), 2],
    [`${many('(', 20)}steps > 1${many(')', 20)}`, 2],
  ])('%s: %i', async (where, rows) => {
    const response = await ask(where);
    expect([response.status, response.msg, response.rows]).toEqual([200, '', rows]);
  });
});

test('the longest texts of one repeated character are parsed in less than 100 ms', async () => {
  for (const where of [
    `title = ${"'".repeat(3_990)}`,
    `title = '${"''".repeat(1_990)}`,
    ' '.repeat(4_000),
    '1'.repeat(4_000),
  ]) {
    const stall = await longestStall(async () => {
      try {
        parseWhere(where);
      } catch {
        // The test only measures the time. Whether the text is valid does not matter.
      }
    });
    expect(stall).toBeLessThan(100);
  }
});
