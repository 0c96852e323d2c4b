// Counts the rows that one page of the feed reads. The team has events of a month, and other teams have even more.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { query } from '../../../test/global-setup.ts';
import { indexPagesRead, rowsRead } from '../../../test/rows-read.ts';
import { openDatabase, type Database } from '../../db/open-database.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import { FROM_THE_OLDEST, type Cursor } from './cursor.ts';
import { readPage } from './read-page.ts';

const DAYS = 30;
const A_DAY = 400;
const OTHERS_A_DAY = 2_000;
const LIMIT = 50;
/** A page reads its events, their bodies, and a few rows at the start of each day's partition. */
const MAX_READ = 3 * LIMIT + 2 * DAYS;

let app: TestApp;
let team: Team;
let database: Database;
let tables: string[];

const ctx = () => ({ ...forTeam({ ...app.ctx, db: database.db }, { id: team.id, org_id: team.org_id, settings: {} }) });
const wanted = { most: { events: LIMIT, bytes: 1024 * 1024 }, types: null };

beforeAll(async () => {
  app = await startTestApp();
  team = app.team;
  const other = await app.makeTeam();
  database = openDatabase({ url: app.databaseUrl, poolSize: 1, role: 'phial_app', log: app.ctx.log });
  database.pool.options.idleTimeoutMillis = 0;
  await query(app.databaseUrl, `select ensure_partitions(current_date - ${DAYS}, current_date)`);
  for (const [id, many] of [
    [team.id, A_DAY],
    [other.id, OTHERS_A_DAY],
  ] as const)
    await query(
      app.databaseUrl,
      `insert into events (team_id, id, event_type, body, position)
       select '${id}', (left(uuid_v7_floor(current_date - day)::text, 15) || '7' || right(gen_random_uuid()::text,
           20))::uuid,
              'daily.data.steps.created', '', 1000000 - day * 10000 + n
         from generate_series(1, ${DAYS}) as day cross join generate_series(1, ${many}) as n`,
    );
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class where relkind = 'r' and relname ~ '^events_'
        or relname in ('events', 'deferred_events')`.execute(app.db);
  tables = rows.map(({ name }) => name);
}, 60_000);
afterAll(async () => {
  await database.close();
  await app.close();
});

/** Returns the cursor of a reader that has all events except those of the last `days` days. */
const since = (days: number): Cursor => ({
  seen: { until: 1_000_000 - days * 10_000, running: [] },
  reading: null,
  from: Date.now() / 1000,
});

test.each([
  ['from the beginning', FROM_THE_OLDEST],
  ['a week behind', since(7)],
  ['that has come to the end', { ...since(0), seen: { until: 2_000_000, running: [] } }],
  ['with many transactions that ran', { ...since(7), seen: { until: 930_000, running: [920_000, 910_001, 910_002] } }],
])('A page %s reads its own events and few others, with statistics or without', async (_, cursor) => {
  for (const analyze of ['', 'analyze events']) {
    if (analyze) await query(app.databaseUrl, analyze);
    for (let again = 0; again < 7; again += 1) {
      const read = await rowsRead(database.db, tables, async () => {
        await readPage(ctx(), cursor, wanted);
      });
      expect(read).toBeLessThan(MAX_READ);
      if (cursor.seen.until < 2_000_000) expect(read).toBeGreaterThan(LIMIT);
    }
  }
});

test('Pages of a week read what they show, and each day once', async () => {
  let cursor = since(7);
  let shown = 0;
  let pages = 0;
  const read = await rowsRead(database.db, tables, async () => {
    for (;;) {
      const page = await readPage(ctx(), cursor, { ...wanted, most: { ...wanted.most, events: 250 } });
      shown += page.events.length;
      pages += 1;
      cursor = page.cursor;
      if (!page.has_more) return;
    }
  });
  expect(shown).toBe(7 * A_DAY);
  expect(read).toBeLessThan(3 * shown + pages * 2 * DAYS);
});

test('Tests of an endpoint are skipped, and no page reads more of them than it has room for', async () => {
  await query(
    app.databaseUrl,
    `insert into events (team_id, id, event_type, body, position, test_for)
     select '${team.id}', (left(uuid_v7_floor(current_date - 2)::text, 15) || '7' || right(gen_random_uuid()::text,
         20))::uuid,
            'daily.data.steps.created', '', 985000 + n, gen_random_uuid() from generate_series(1, 4000) as n`,
  );
  let cursor = since(2);
  let shown = 0;
  for (let hasMore = true; hasMore;) {
    const read = await rowsRead(database.db, tables, async () => {
      const page = await readPage(ctx(), cursor, { ...wanted, most: { ...wanted.most, events: 250 } });
      shown += page.events.length;
      ({ cursor, has_more: hasMore } = page);
    });
    expect(read).toBeLessThan(3 * 251 + 2 * DAYS);
  }
  expect(shown).toBe(2 * A_DAY);
});

test('A look at the end of the feed reads no earlier event', async () => {
  await query(
    app.databaseUrl,
    `insert into events (team_id, id, event_type, body, position)
     select '${team.id}', (left(uuid_v7_floor(current_date - 3)::text, 15) || '7' || right(gen_random_uuid()::text,
         20))::uuid,
            'daily.data.steps.created', '', 970000 + n from generate_series(1, 9000) as n`,
  );
  const atTheEnd = { ...since(0), seen: { until: 2_000_000, running: [] } };
  await readPage(ctx(), atTheEnd, wanted);
  const read = await indexPagesRead(database.db, tables, async () => {
    expect((await readPage(ctx(), atTheEnd, wanted)).events).toEqual([]);
  });
  expect(read).toBeLessThan(9 * DAYS);
});
