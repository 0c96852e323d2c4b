import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makePerson, type Person } from '../../../test/summary-person.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../tenancy/teams/team-scope.ts';
import { findUser } from '../../users/find.ts';
import type { IncomingSummary } from './new-summary.ts';
import { eraseSomeSummaries } from './erase.ts';
import { activity } from './resources/activity.ts';
import { menstrualCycle } from './resources/menstrual-cycle.ts';
import { workout } from './resources/workout.ts';
import { storeSummaries, type StoredSummary } from './store-summaries.ts';

let app: TestApp;
let person: Person;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  person = await makePerson(app);
});
afterEach(() => person.close());

const scoped = async () => forTeam(app.ctx, (await findTeamScopeOrNull(app.ctx, person.team.id)) as never);
const day = (changes: object = {}) => ({ provider: 'oura', calendar_date: '2026-01-05', ...changes });

/** Stores mapped summaries, as a connector does. */
async function store(resource: typeof activity, ...incoming: IncomingSummary[]): Promise<StoredSummary[]> {
  return inTransaction(await scoped(), async (tx) =>
    storeSummaries({ ...tx, origin: 'live' }, await findUser(tx, person.userId), resource, incoming),
  );
}

describe('summaries of a connector', () => {
  test("are stored and published like pushed ones; a change of only the provider's payload is none", async () => {
    const item = day({ steps: 100 });
    const [first] = await store(activity, { item, raw: { day: '2026-01-05', total_steps: 100 } });
    expect(await store(activity, { item, raw: { day: '2026-01-05', total_steps: 100, score: 88 } })).toEqual([
      { id: first?.id, outcome: 'unchanged' },
    ]);
    const path = `/v2/summary/activity/${person.userId}/raw?start_date=2026-01-01&end_date=2026-12-31`;
    const { body } = await person.team.api<{ activity: { data: object }[] }>('GET', path);
    expect(body.activity.map(({ data }) => data)).toEqual([{ day: '2026-01-05', total_steps: 100, score: 88 }]);
    expect(await person.push('activity', item)).toMatchObject({ unchanged: 1 });
    expect((await person.takeEvents()).map(([type]) => type)).toEqual(['daily.data.activity.created']);
  });

  test('may cover years at once', async () => {
    const days = Array.from({ length: 3_200 }, (_, n) => {
      const calendar_date = new Date(Date.UTC(2017, 0, 1 + n)).toISOString().slice(0, 10);
      return { item: day({ calendar_date, steps: n }), raw: {} };
    });
    const outcomes = async () => [...new Set((await store(activity, ...days)).map(({ outcome }) => outcome))];
    expect(await outcomes()).toEqual(['created']);
    expect(await outcomes()).toEqual(['unchanged']);
    expect(await person.read('activity', 'start_date=2020-01-01&end_date=2020-12-31')).toHaveLength(366);
  });

  test('are complete in answers, with defaults for fields that were left out', async () => {
    const item = {
      provider: 'strava',
      sport: 'running',
      time_start: '2026-01-05T13:30:00Z',
      time_end: '2026-01-05T14:30:00Z',
      stream: { time: [1_767_619_800] },
    };
    const cycle = { provider: 'oura', period_start: '2026-01-03' };
    await store(menstrualCycle, { item: cycle, raw: {} });
    expect(await person.read('menstrual_cycle')).toMatchObject([{ menstrual_flow: [], is_predicted: false }]);
    const [stored] = await store(workout, { item, raw: {} });
    expect(await person.read('workouts')).toMatchObject([{ title: null, source: { type: 'unknown' } }]);
    const { body } = await person.team.api('GET', `/v2/timeseries/workouts/${stored?.id}/stream`);
    expect(body).toMatchObject({ time: [1_767_619_800], heartrate: [] });
  });
});

test('a version that waits for a newer one to be written is then superseded', async () => {
  await person.push('activity', day({ steps: 1, version: '2026-01-06T01:00:00Z' }));
  let older: Promise<{ superseded: number }> | undefined;
  await app.db.transaction().execute(async (tx) => {
    await sql`select from summaries where user_id = ${person.userId} for no key update`.execute(tx);
    older = person.push('activity', day({ steps: 2, version: '2026-01-06T02:00:00Z' }));
    await untilBlocked(app.db);
    await sql`update summaries set version = '2026-01-06T03:00:00Z' where user_id = ${person.userId}`.execute(tx);
  });
  expect(await older).toMatchObject({ superseded: 1, updated: 0 });
  expect(await person.read('activity')).toMatchObject([{ steps: 1 }]);
});

describe('when two bring one summary at once', () => {
  /** Stores `item` in a transaction that stays open until `second` waits for it. Returns what both stored. */
  const beside = async (
    item: object,
    second: () => Promise<StoredSummary[]>,
    resource = activity,
  ): Promise<[first: StoredSummary[], second: StoredSummary[]]> => {
    let later: Promise<StoredSummary[]> | undefined;
    const first = await inTransaction(await scoped(), async (tx) => {
      const user = await findUser(tx, person.userId);
      const writer = { ...tx, origin: 'live' as const };
      const stored = await storeSummaries(writer, user, resource, [{ item: item as IncomingSummary['item'], raw: {} }]);
      later = second();
      await untilBlocked(app.db);
      return stored;
    });
    return [first, (await later) as StoredSummary[]];
  };
  const publishedSteps = async () => (await person.takeEvents()).map(([type, data]) => [type, data['steps']]);

  test('one creates it, and the other finds it unchanged where it is equal', async () => {
    const item = day({ steps: 1 });
    const [[first], [second]] = await beside(item, () => store(activity, { item, raw: {} }));
    expect([first?.outcome, second]).toEqual(['created', { id: first?.id, outcome: 'unchanged' }]);
    expect(await publishedSteps()).toEqual([['daily.data.activity.created', 1]]);
  });

  test('one creates it, and the other updates it where it differs', async () => {
    const item = day({ steps: 2 });
    const [[first], [second]] = await beside(day({ steps: 1 }), () => store(activity, { item, raw: {} }));
    expect([first?.outcome, second]).toEqual(['created', { id: first?.id, outcome: 'updated' }]);
    expect(await publishedSteps()).toEqual([
      ['daily.data.activity.created', 1],
      ['daily.data.activity.updated', 2],
    ]);
  });

  test('both update it where they differ; an equal second one changes nothing', async () => {
    await person.push('activity', day({ steps: 1 }));
    const item = day({ steps: 3 });
    const [[first], [second]] = await beside(day({ steps: 2 }), () => store(activity, { item, raw: {} }));
    const [[third], [fourth]] = await beside(day({ steps: 4 }), () =>
      store(activity, { item: day({ steps: 4 }), raw: {} }),
    );
    const outcomes = [first, second, third, fourth].map((stored) => stored?.outcome);
    expect(outcomes).toEqual(['updated', 'updated', 'updated', 'unchanged']);
    expect((await publishedSteps()).map(([, steps]) => steps)).toEqual([1, 2, 3, 4]);
  });

  test('only one of them creates the points of a workout without points', async () => {
    const of = (more: object = {}) => ({
      provider: 'strava',
      sport: 'running',
      time_start: '2026-01-05T13:30:00Z',
      time_end: '2026-01-05T14:30:00Z',
      ...more,
    });
    await store(workout, { item: of(), raw: {} });
    const item = of({ stream: { time: [1_767_619_800] } });
    const [[first], [second]] = await beside(item, () => store(workout, { item, raw: {} }), workout);
    expect([first?.outcome, second?.outcome]).toEqual(['unchanged', 'unchanged']);
    expect((await person.takeEvents()).map(([type]) => type)).toEqual([
      'daily.data.workouts.created',
      'daily.data.workout_stream.created',
    ]);
  });
});

test('an equal summary is neither written nor locked beside new and changed ones', async () => {
  const of = (date: string, steps: number) => day({ calendar_date: date, steps });
  const before = await person.push('activity', of('2026-01-05', 1), of('2026-01-06', 2));
  await person.takeEvents();
  const rows = async () =>
    (
      await sql`select calendar_date, ctid::text, xmin::text, xmax::text from summaries
                 where user_id = ${person.userId} order by calendar_date`.execute(app.db)
    ).rows;
  const [unchanged] = await rows();
  const again = await person.push('activity', of('2026-01-07', 3), of('2026-01-05', 1), of('2026-01-06', 4));
  expect(again.items).toEqual([
    { id: expect.any(String), outcome: 'created' },
    { id: before.items[0]?.id, outcome: 'unchanged' },
    { id: before.items[1]?.id, outcome: 'updated' },
  ]);
  expect((await rows())[0]).toEqual(unchanged);
  const events = await person.takeEvents();
  expect(events.map(([type, data]) => [type, data['steps']]).toSorted()).toEqual([
    ['daily.data.activity.created', 3],
    ['daily.data.activity.updated', 4],
  ]);
  expect(await person.push('activity', of('2026-01-07', 3), of('2026-01-05', 1))).toMatchObject({ unchanged: 2 });
  expect(await person.takeEvents()).toEqual([]);
});

test('the time of change rises even where the clock of the database does not', async () => {
  await person.push('activity', day({ steps: 1 }));
  await sql`update summaries set updated_at = now() + interval '1 hour' where user_id = ${person.userId}`.execute(
    app.db,
  );
  const [before] = await person.read('activity');
  await person.push('activity', day({ steps: 2 }));
  const [after] = await person.read('activity');
  expect(String(after?.['updated_at']) > String(before?.['updated_at'])).toBe(true);
});

test('the erasure runs in steps: parts of streams first, then summaries', async () => {
  await person.push('activity', day());
  await sql`
    insert into summaries (user_id, id, team_id, resource, provider, source_type, key, values, raw, content_hash,
      raw_hash)
    select user_id, gen_random_uuid(), team_id, resource, provider, source_type, 'no ' || n, values, raw, content_hash,
      raw_hash
      from summaries, generate_series(1, 1499) as n where user_id = ${person.userId}`.execute(app.db);
  await sql`
    insert into summary_streams (user_id, summary_id, part, team_id, content)
    select user_id, id, part, team_id, '\\x00' from (select * from summaries
      where user_id = ${person.userId} limit 1) as one,
      generate_series(0, 249) as part`.execute(app.db);
  const ctx = await scoped();
  const left = async () => {
    const { rows } = await sql<{ parts: number; summaries: number }>`
      select (select count(*) from summary_streams where user_id = ${person.userId}) as parts,
             (select count(*) from summaries where user_id = ${person.userId}) as summaries`.execute(app.db);
    return Object.values(rows[0] as object) as unknown;
  };
  const step = () => inTransaction(ctx, (tx) => eraseSomeSummaries(tx, { id: person.userId }));
  expect([await step(), await left()]).toEqual([true, [50, 1_500]]);
  expect([await step(), await left()]).toEqual([true, [0, 500]]);
  expect([await step(), await left()]).toEqual([false, [0, 0]]);
});
