import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { upload, type FileImport } from '../../../test/exports.ts';
import { makeUser } from '../../../test/factories.ts';
import { publishedTo } from '../../../test/publish-event.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import type { Ctx, TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { eraseUsers } from '../../../test/erase-due-users.ts';
import { findTeamScopeOrNull, forTeam } from '../../tenancy/teams/team-scope.ts';
import { claimNext, returnJob } from '../../files/file-queue.ts';
import { endImport, IMPORTS, LeaseLost, type ClaimedImport } from './import-lease.ts';
import { runImports } from './run-imports.ts';
import { reserveQuota } from './reserve-quota.ts';
import { storeParsedChunk } from './store-parsed-chunk.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  await sql`delete from imports`.execute(app.db);
});

const read = async (team: Team, { user_id, id }: { user_id: string; id: string }): Promise<FileImport> =>
  (await team.api<FileImport>('GET', `/v2/user/${user_id}/import/${id}`)).body;
/** Makes a new team with a user and imports of this user, oldest first. */
async function withFiles(count: number): Promise<{ team: Team; ids: string[]; scoped: TeamCtx; user_id: string }> {
  const team = await app.makeTeam();
  const { user_id } = await makeUser(team);
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await upload(team, user_id, '<gpx/>')).body.id);
  const scope = (await findTeamScopeOrNull(app.ctx, team.id)) as TeamCtx['team'];
  return { team, ids, user_id, scoped: forTeam(app.ctx, scope) };
}
const nextOrNull = (ctx: Ctx = app.ctx): Promise<ClaimedImport | null> => claimNext<ClaimedImport>(ctx, IMPORTS);
const claim = async (): Promise<ClaimedImport> => (await nextOrNull()) as ClaimedImport;
const runOut = (id: string) =>
  sql`update imports set lease_until = now() - interval '1 second' where id = ${id}`.execute(app.db);
const left = { type: 'HKQuantityTypeIdentifierDietaryFiber', reason: 'not_kept' as const, records: 2 };
const chunk = {
  samples: [
    {
      resource: 'heartrate',
      provider: 'garmin',
      source_type: 'watch',
      timestamp: '2026-01-05T07:00:00Z',
      unit: 'bpm',
      value: 60,
    },
  ],
  summaries: [],
  skipped: [left],
  kind: 'apple_health' as const,
  progress: 0.5,
};

describe('waiting imports', () => {
  test('are claimed one of a team at a time, and one of every team', async () => {
    const [first, second] = [await withFiles(2), await withFiles(1)];
    expect([(await claim()).id, (await claim()).id, await nextOrNull()]).toEqual([first.ids[0], second.ids[0], null]);
  });

  test('are claimed first for the team whose last import is the oldest', async () => {
    const [busy, other] = [await withFiles(3), await withFiles(1)];
    await endImport(busy.scoped, await claim(), null);
    expect((await claim()).id).toBe(other.ids[0]);
    expect((await claim()).id).toBe(busy.ids[1]);
  });

  test('of a team that never imported come after those of teams that waited before', async () => {
    const regular = await withFiles(1);
    await endImport(regular.scoped, await claim(), null);
    const { body } = await upload(regular.team, regular.user_id, '<gpx/>');
    const newcomers = [await withFiles(1), await withFiles(1)];
    expect([(await claim()).id, (await claim()).id, (await claim()).id]).toEqual([
      body.id,
      ...newcomers.flatMap(({ ids }) => ids),
    ]);
  });

  test('are claimed by reading a few rows, however many imports of the team have ended', async () => {
    const { ids, user_id } = await withFiles(2);
    await sql`
      insert into imports select (jsonb_populate_record(imports, jsonb_build_object(
               'id', gen_random_uuid(), 'status', 'success', 'ended_at', now() - n * interval '1 minute'))).*
        from imports, generate_series(1, 5000) as n where id = ${ids[1]}`.execute(app.db);
    await sql`analyze imports`.execute(app.db);
    const read = await inTransaction(app.ctx, async (tx) => {
      expect(await nextOrNull(tx as unknown as Ctx)).toMatchObject({ id: ids[0], user_id });
      const { rows } = await sql<{ read: number }>`
        select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables
         where relname = 'imports'`.execute(tx.db);
      return rows[0]?.read;
    });
    expect(read).toBeLessThan(500);
  });

  test('are never claimed by two processes at once', async () => {
    const { ids } = await withFiles(2);
    let second: Promise<ClaimedImport | null> | undefined;
    const first = await inTransaction(app.ctx, async (tx) => {
      const claimed = await nextOrNull(tx as unknown as Ctx);
      second = nextOrNull();
      await untilBlocked(app.db);
      return claimed;
    });
    expect([first?.id, await second]).toEqual([ids[0], null]);
  });
});

describe('the quota of a team', () => {
  test('is reserved by only one of two concurrent uploads', async () => {
    const { scoped, user_id } = await withFiles(0);
    const half = app.config.uploads.teamBytes / 2 + 1;
    const upload = () => ({ id: randomUUID(), user_id, kind: 'gpx' as const });
    let second: Promise<void> | undefined;
    await inTransaction(scoped, async (tx) => {
      await reserveQuota(tx as unknown as TeamCtx, upload(), half);
      second = reserveQuota(scoped, upload(), half);
      second.catch(() => undefined);
      await untilBlocked(app.db);
    });
    await expect(second).rejects.toMatchObject({ code: 'limit_reached' });
  });
});

describe('an import whose process was killed', () => {
  test('is claimed by another process when its lease expires, and the first one stores nothing more', async () => {
    const { team, user_id, scoped } = await withFiles(1);
    const before = await claim();
    await storeParsedChunk(scoped, before, chunk);
    expect(await nextOrNull()).toBeNull();
    await runOut(before.id);
    const after = await claim();
    expect(after.id).toBe(before.id);
    const other = { ...chunk, samples: [{ ...chunk.samples[0], timestamp: '2026-01-05T08:00:00Z' }] };
    await expect(storeParsedChunk(scoped, before, other)).rejects.toThrow(LeaseLost);
    await endImport(scoped, before, 'file_broken');
    expect((await app.metrics.imports.get()).values.map(({ labels }) => labels.outcome)).not.toContain('file_broken');
    await storeParsedChunk(scoped, after, chunk);
    expect(await read(team, after)).toMatchObject({ status: 'running', created: 1, unchanged: 1, skipped: 2 });
    const { body } = await team.api<unknown[]>(
      'GET',
      `/v2/timeseries/${user_id}/heartrate?start_date=2026-01-01&end_date=2026-12-31`,
    );
    expect(body).toHaveLength(1);
    const events = await publishedTo(app, team);
    expect(
      events.map(({ event_type, body }) => [event_type, (JSON.parse(body) as { origin?: string }).origin]),
    ).toContainEqual(['daily.data.heartrate.created', 'import']);
  });

  test('is attempted five times and no more', async () => {
    const { team } = await withFiles(1);
    for (let n = 0; n < 5; n += 1) await runOut((await claim()).id);
    const { rows } = await sql<{ user_id: string; id: string }>`select user_id, id from imports`.execute(app.db);
    await runImports(app.ctx);
    expect(await nextOrNull()).toBeNull();
    expect(await read(team, rows[0] as { user_id: string; id: string })).toMatchObject({
      status: 'failure',
      error: { code: 'interrupted', message: expect.stringContaining('Send the file again') },
      ended_at: expect.any(String),
    });
    const { values } = await app.metrics.imports.get();
    expect(values).toContainEqual(expect.objectContaining({ labels: { outcome: 'interrupted' }, value: 1 }));
  });

  test('is attempted again without limit if the process only stopped', async () => {
    const { scoped, ids } = await withFiles(1);
    for (let n = 0; n < 7; n += 1) await returnJob(scoped, IMPORTS, await claim());
    expect((await claim()).id).toBe(ids[0]);
  });
});

describe('a chunk of a file', () => {
  test('is checked like pushed data, and invalid samples and summaries are counted as skipped', async () => {
    const { team, scoped } = await withFiles(1);
    const claimed = await claim();
    const [good] = chunk.samples;
    const future = new Date(Date.now() + 3_600_000).toISOString();
    const wrong = [
      null,
      'text',
      { ...good, resource: 'steps' },
      { ...good, timestamp: future },
      { ...good, timestamp: 'soon' },
      { ...good, unit: 'Hz' },
      { ...good, value: 1e12 },
      { ...good, value: 'sixty' },
      { ...good, provider: 'nobody' },
      { ...good, source_type: 'toaster' },
      { ...good, timezone_offset: 1e6 },
      { ...good, type: 'x'.repeat(101) },
    ];
    const workout = { provider: 'garmin', time_start: '2026-01-05T07:00:00Z', time_end: '2026-01-05T08:00:00Z' };
    const summaries = [
      null,
      'text',
      { resource: 'activity', item: {} },
      { resource: 'workouts', item: workout },
      { resource: 'workouts', item: { ...workout, sport: 'running', time_end: '2026-01-04T08:00:00Z' } },
      { resource: 'workouts', item: { ...workout, sport: 'running', stream: { time: [2, 1] } } },
      { resource: 'sleep', item: { ...workout, total: 'long' } },
    ];
    await storeParsedChunk(scoped, claimed, {
      ...chunk,
      samples: [good, ...wrong],
      summaries,
      skipped: [left, { ...left, type: 'a name, of a person!' }],
      progress: 0.25,
    });
    const skipped = wrong.length + summaries.length + 4;
    const response = await read(team, claimed);
    expect(response).toMatchObject({ created: 1, skipped, progress: 0.25 });
    expect(response.skipped_by_type.reduce((sum, { records }) => sum + records, 0)).toBe(skipped);
    expect(response.skipped_by_type).toContainEqual(left);
    expect(response.skipped_by_type).toContainEqual({ type: 'other', reason: 'not_kept', records: 2 });
  });

  test('is stored without durations that are longer than their night or workout, and these are counted', async () => {
    const { team, scoped, user_id } = await withFiles(1);
    const claimed = await claim();
    const night = { provider: 'garmin', bedtime_start: '2026-01-05T00:00:00Z', bedtime_stop: '2026-01-05T08:00:00Z' };
    const run = { provider: 'garmin', time_start: '2026-01-05T07:00:00Z', time_end: '2026-01-05T08:00:00Z' };
    const ofStages = { light: 20_000, rem: 10_000, deep: 10_000 };
    const summaries = [
      {
        resource: 'sleep',
        item: { ...night, total: 28_000, awake: 800 },
        // The stage ends after the night.
        cycle: {
          provider: 'garmin',
          session_start: night.bedtime_start,
          session_end: night.bedtime_stop,
          stage_start_offset_second: [0],
          stage_end_offset_second: [30_000],
          stage_type: [2],
        },
      },
      { resource: 'sleep', item: { ...night, provider_id: '2', total: 25_000, latency: 30_000, ...ofStages } },
      { resource: 'sleep', item: { ...night, provider_id: '3', total: 30_000 } },
      {
        resource: 'workouts',
        item: { ...run, sport: 'running', moving_time: 3_700, hr_zones: [0, 0, 3_700, 0, 0, 0] },
      },
    ];
    await storeParsedChunk(scoped, claimed, { ...chunk, samples: [], summaries, skipped: [], progress: 0.25 });
    expect(await read(team, claimed)).toMatchObject({
      created: 3,
      skipped: 4,
      skipped_by_type: [
        { type: 'sleep', reason: 'impossible', records: 2 },
        { type: 'workouts', reason: 'impossible', records: 1 },
        { type: 'sleep_cycle', reason: 'impossible', records: 1 },
      ],
    });
    const list = async (kind: string) =>
      (await team.api<Record<string, object[]>>('GET', `/v2/summary/${kind}/${user_id}?start_date=2026-01-01`)).body[
        kind
      ];
    expect(await list('sleep')).toMatchObject([
      { total: 28_000, awake: 800 },
      { total: 25_000, latency: null, light: 0, rem: 0, deep: 0, duration: 28_800 },
    ]);
    expect(await list('workouts')).toMatchObject([{ moving_time: null, hr_zones: null }]);
  });

  test("is not stored for days outside the user's ingestion bounds", async () => {
    const { team, scoped, user_id } = await withFiles(1);
    await team.api('PATCH', `/v2/user/${user_id}`, { ingestion_start: '2026-01-06' });
    const claimed = await claim();
    await storeParsedChunk(scoped, claimed, chunk);
    expect(await read(team, claimed)).toMatchObject({ created: 0, outside_ingestion_bounds: 1 });
  });

  test('is not stored for a user who was erased meanwhile', async () => {
    const { team, scoped, user_id } = await withFiles(1);
    const claimed = await claim();
    await team.api('DELETE', `/v2/user/${user_id}`);
    await expect(storeParsedChunk(scoped, claimed, chunk)).rejects.toMatchObject({
      code: 'user_scheduled_for_deletion',
    });
    await sql`update users set deleted_at = now() - interval '8 days' where id = ${user_id}`.execute(app.db);
    await eraseUsers(app.ctx);
    await expect(storeParsedChunk(scoped, claimed, chunk)).rejects.toThrow(LeaseLost);
    const { rows } = await sql`select from streams where user_id = ${user_id}`.execute(app.db);
    expect(rows).toEqual([]);
  });
});
