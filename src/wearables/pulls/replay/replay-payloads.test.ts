import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { pushSummaries, subscribe } from '../../../../test/factories.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../../test/provider.ts';
import { dayAgo, pulledFrom, refresh, replayed, type Pulled } from '../../../../test/pulled.ts';
import { startEndpoint, type Endpoint } from '../../../../test/endpoint.ts';
import { untilBlocked } from '../../../../test/until-blocked.ts';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/team-scope.ts';
import { findUser } from '../../../users/find.ts';
import { becomeWriter, type Writer } from '../../user-writer.ts';
import type { SummaryItem } from '../../summaries/resource.ts';
import { SUMMARIES } from '../../summaries/summary-resources.ts';
import { storeSummaries } from '../../summaries/store-summaries.ts';
import type { Mapper } from '../../providers/importer.ts';
import { IMPORTERS } from '../../providers/registry.ts';

let provider: Provider;
let app: TestApp;
let endpoint: Endpoint;
let mine: Pulled;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('whoop_v2'));
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

const day = dayAgo(2);
const NIGHT = {
  id: 'night-1',
  cycle_id: 1,
  start: `${day}T05:00:00.000Z`,
  end: `${day}T13:00:00.000Z`,
  timezone_offset: '-07:00',
  nap: false,
  score: {
    stage_summary: {
      total_light_sleep_time_milli: 14_400_000,
      total_slow_wave_sleep_time_milli: 5_400_000,
      total_rem_sleep_time_milli: 7_200_000,
    },
    sleep_performance_percentage: 91,
  },
};
const WORKOUT = { id: 'workout-1', start: `${day}T18:00:00.000Z`, end: `${day}T19:00:00.000Z`, sport_name: 'yoga' };
const RECORDS: Record<string, object[]> = {
  recovery: [{ sleep_id: NIGHT.id, created_at: NIGHT.end, score: { recovery_score: 44 } }],
  sleep: [NIGHT],
  workout: [WORKOUT],
};
function answer({ path, query }: DataRequest): DataResponse | undefined {
  const records = RECORDS[path.split('/').at(-1) ?? ''];
  const [start, end] = [String(query.get('start')), String(query.get('end'))];
  return records && { json: { records: start <= NIGHT.start && NIGHT.start < end ? records : [], next_token: null } };
}

beforeEach(async () => {
  mine = await pulledFrom(app, provider, 'whoop_v2', answer);
  endpoint = await startEndpoint();
  await subscribe(mine.team, endpoint);
  return () => endpoint.close();
});

/** The events since the last call, each with its type and the id of its summary. */
async function takeEvents(): Promise<[string, unknown][]> {
  await app.deliver();
  return endpoint.received.splice(0).map(({ body }) => [body.event_type, body.data['id']]);
}

const asWriter = async <T>(
  { team, user_id }: { team: Team; user_id: string },
  work: (tx: Writer) => Promise<T>,
): Promise<T> =>
  inTransaction(forTeam(app.ctx, (await findTeamScopeOrNull(app.ctx, team.id)) as TeamCtx['team']), async (tx) => {
    await becomeWriter(tx, user_id);
    return work({ ...tx, origin: 'live' });
  });

const whoop = IMPORTERS['whoop_v2']?.mappers as Record<string, Mapper>;

/** Stores payloads as if an older mapper had made their summaries, with the fields of `changes`. */
const mappedOnce = (whose: Pulled, kind: string, raws: Record<string, unknown>[], changes: object): Promise<unknown> =>
  asWriter(whose, async (tx) => {
    const { resource, toItem } = whoop[kind] as Mapper;
    const incoming = raws.map((raw) => ({ raw, item: { ...(toItem(raw) as SummaryItem), ...changes } }));
    return storeSummaries(tx, await findUser(tx, whose.user_id), resource, incoming);
  });
const nightMappedOnce = (whose: Pulled): Promise<unknown> =>
  mappedOnce(whose, 'sleep', [{ ...NIGHT, recovery: { recovery_score: 44 } }], {
    score: 9,
    recovery_readiness_score: undefined,
  });

const all = { updated: 0, unchanged: 2, skipped: 0, not_pulled: 0 };
const replayMine = (changes: Parameters<typeof replayed>[3] = {}) => replayed(app, mine.team, 'whoop_v2', changes);

describe('summaries of an older mapper', () => {
  test('are corrected and published once under their ids, and the next replay changes nothing', async () => {
    const [right] = await mine.summaries('sleep');
    expect(right).toMatchObject({ score: 91, recovery_readiness_score: 44 });
    await nightMappedOnce(mine);
    expect(await mine.summaries('sleep')).toMatchObject([
      { id: right?.['id'], score: 9, recovery_readiness_score: null },
    ]);
    await takeEvents();

    expect(await replayMine()).toEqual({ ...all, updated: 1, unchanged: 1 });
    expect(await mine.summaries('sleep')).toEqual([{ ...right, updated_at: expect.any(String) }]);
    await app.deliver();
    expect(endpoint.received.map(({ body }) => body.origin)).toEqual(['replay']);
    expect(await takeEvents()).toEqual([['daily.data.sleep.updated', right?.['id']]]);

    const mended = await mine.summaries('sleep');
    expect(await replayMine()).toEqual(all);
    expect(await mine.summaries('sleep')).toEqual(mended);
    expect(await takeEvents()).toEqual([]);
  });

  test('of other teams, kinds and days, and of users scheduled for deletion, stay as they are', async () => {
    const theirs = await pulledFrom(app, provider, 'whoop_v2', answer);
    await nightMappedOnce(theirs);
    await nightMappedOnce(mine);
    const workouts = Object.values(whoop).filter(({ resource }) => resource.name === 'workouts');
    expect(await replayMine({ mappers: workouts })).toEqual({ ...all, unchanged: 1 });
    expect(await replayMine({ since: dayAgo(1) })).toEqual({ ...all, unchanged: 0 });
    await mine.team.api('DELETE', `/v2/user/${mine.user_id}`);
    expect(await replayMine()).toEqual({ ...all, unchanged: 0 });
    await mine.team.api('POST', `/v2/user/undo_delete?user_id=${mine.user_id}`);
    expect(await mine.summaries('sleep')).toMatchObject([{ score: 9 }]);
    expect(await replayMine({ since: day })).toMatchObject({ updated: 1 });
    expect(await theirs.summaries('sleep')).toMatchObject([{ score: 9 }]);
    expect(await replayed(app, mine.team, 'whoop_v2', { team_id: null })).toMatchObject({ updated: 1 });
    expect(await theirs.summaries('sleep')).toMatchObject([{ score: 91 }]);
  });

  test('under another key get the right one and keep their ids', async () => {
    const [before] = await mine.summaries('workouts');
    await sql`update summaries set source_type = 'ring', key = 'at once'
               where user_id = ${mine.user_id} and resource = 'workouts'`.execute(app.db);
    expect(await replayMine()).toEqual({ ...all, updated: 1, unchanged: 1 });
    expect(await mine.summaries('workouts')).toEqual([{ ...before, updated_at: expect.any(String) }]);
    expect(await takeEvents()).toEqual([['daily.data.workouts.updated', before?.['id']]]);
    expect(await replayMine()).toEqual(all);
  });

  test('stay where another summary has the right key, and where the mapper makes nothing of them', async () => {
    await sql`update summaries set source_type = 'ring' where user_id = ${mine.user_id}
      and resource = 'workouts'`.execute(app.db);
    await refresh(app, mine.team, mine.user_id);
    const unreadable = { ...WORKOUT, id: 'workout-2' };
    await mappedOnce(mine, 'workouts', [unreadable], {});
    await asWriter(mine, async (tx) => {
      const { resource, toItem } = whoop['workouts'] as Mapper;
      const item = toItem(unreadable) as SummaryItem;
      await storeSummaries(tx, await findUser(tx, mine.user_id), resource, [{ item, raw: { id: 2, start: 'soon' } }]);
    });
    const before = await mine.summaries('workouts');
    expect(before).toHaveLength(3);
    await takeEvents();
    expect(await replayMine()).toEqual({ ...all, unchanged: 2, skipped: 2 });
    expect(await mine.summaries('workouts')).toEqual(before);
    expect(await takeEvents()).toEqual([]);
  });

  test("before the user's ingestion dates stay", async () => {
    await nightMappedOnce(mine);
    await mine.team.api('PATCH', `/v2/user/${mine.user_id}`, { ingestion_start: dayAgo(1) });
    expect(await replayMine()).toEqual({ ...all, unchanged: 0, skipped: 2 });
    expect(await mine.summaries('sleep')).toMatchObject([{ score: 9 }]);
  });
});

test('Pushed summaries stay, also those that have replaced pulled ones', async () => {
  const night = { provider: 'whoop_v2', source_type: 'watch', total: 20_000 };
  const pushed = [
    { ...night, provider_id: NIGHT.id, bedtime_start: NIGHT.start, bedtime_stop: NIGHT.end },
    { ...night, bedtime_start: `${dayAgo(3)}T05:00:00Z`, bedtime_stop: `${dayAgo(3)}T13:00:00Z` },
  ];
  expect((await pushSummaries(mine.team, mine.user_id, 'sleep', pushed)).status).toBe(200);
  const before = await mine.summaries('sleep');
  await takeEvents();
  expect(await replayMine()).toEqual({ ...all, unchanged: 1, not_pulled: 2 });
  expect(await mine.summaries('sleep')).toEqual(before);
  expect(await takeEvents()).toEqual([]);
});

test('A replay that is interrupted keeps its work, and another one does the rest', async () => {
  const raws = Array.from({ length: 450 }, (_, n) => ({ ...WORKOUT, id: `workout-${n + 2}` }));
  await mappedOnce(mine, 'workouts', raws, { calories: 1 });
  const steps: number[] = [];
  const brokenOff = replayMine({
    report: ({ updated, unchanged }) => {
      steps.push(updated + unchanged);
      if (steps.length === 2) throw new Error('killed');
    },
  });
  await expect(brokenOff).rejects.toThrow('killed');
  expect(steps).toEqual([200, 400]);
  const { updated, unchanged } = await replayMine();
  expect([updated, unchanged]).toEqual([52, 400]);
  expect(await replayMine()).toMatchObject({ updated: 0, unchanged: 452 });
});

test('A replay does not undo what a pull stores meanwhile', async () => {
  let replaying: ReturnType<typeof replayMine> | undefined;
  await asWriter(mine, async (tx) => {
    replaying = replayMine();
    await untilBlocked(app.db);
    const { resource, toItem } = whoop['sleep'] as Mapper;
    const raw = { ...NIGHT, recovery: {}, score: { ...NIGHT.score, sleep_performance_percentage: 92 } };
    await storeSummaries(tx, await findUser(tx, mine.user_id), resource, [{ item: toItem(raw) as SummaryItem, raw }]);
  });
  expect(await replaying).toEqual(all);
  expect(await mine.summaries('sleep')).toMatchObject([{ score: 92 }]);
});

test('Every pulled kind of summary has a mapper, and a test that maps its stored payload', () => {
  const kinds = new Set(SUMMARIES.map(({ name }) => name));
  for (const [slug, { resources, mappers }] of Object.entries(IMPORTERS)) {
    // Devices are not a pulled resource: they come with the data that they measured.
    expect(
      Object.keys(mappers)
        .filter((name) => name !== 'device')
        .toSorted(),
    ).toEqual(
      Object.keys(resources)
        // A sleep cycle has no mapper of its own: it is made from the payload of its sleep.
        .filter((name) => kinds.has(name) && name !== 'sleep_cycle')
        .toSorted(),
    );
    expect(Object.entries(mappers).filter(([name, { resource }]) => resource.name !== name)).toEqual([]);
    const test = `src/wearables/providers/${slug.replaceAll('_', '-')}/import.test.ts`;
    expect(readFileSync(test, 'utf8')).toMatch(/pulledFrom\(app, |expectMadeAgain\(app, /);
  }
});
