import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';
import { query } from '../../../test/global-setup.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../tenancy/teams/team-scope.ts';
import { eraseTeams } from '../../../test/erase-deleted-teams.ts';
import { dropExpired as runRetention } from '../../jobs/retention.ts';
import { deleteBefore, dropExpired, eraseSomeSamples } from './erase.ts';
import { pushSamples } from './push-samples.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const BEGIN = Date.UTC(2026, 0, 5);
const sample = (n: number, more: object = {}) => ({
  resource: 'heartrate',
  provider: 'manual',
  timestamp: new Date(BEGIN + n * 1000).toISOString(),
  unit: 'bpm',
  value: 60,
  ...more,
});
const push = (userId: string, samples: object[]) => app.api('POST', `/v2/timeseries/${userId}/samples`, samples);
const samplesOf = async (userId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::float8 as count from samples join streams on streams.id = stream_id
     where user_id = ${userId}`.execute(app.db);
  return rows[0]?.count as number;
};

describe('erasing', () => {
  test('deletes at most 20,000 samples at a time, and nothing of other users', async () => {
    const [user, other] = [await makeUser(app.team), await makeUser(app.team)];
    await push(other.user_id, [sample(1), sample(2)]);
    for (let from = 0; from < 45_000; from += 5_000)
      await push(
        user.user_id,
        Array.from({ length: 5_000 }, (_, n) => sample(from + n, { source_type: from < 30_000 ? 'watch' : 'ring' })),
      );
    const team = await findTeamScopeOrNull(app.ctx, app.team.id);
    const scoped = forTeam(app.ctx, team as NonNullable<typeof team>);
    const left: [boolean, number][] = [];
    for (let more = true; more;) {
      more = await inTransaction(scoped, (tx) => eraseSomeSamples(tx, { id: user.user_id }));
      left.push([more, await samplesOf(user.user_id)]);
    }
    expect(left).toEqual([
      [true, 25_000],
      [true, 5_000],
      [false, 0],
    ]);
    expect(await samplesOf(other.user_id)).toBe(2);
  });

  test('of a team waits for a push that is under way, and deletes its samples too', async () => {
    const team = await app.makeTeam('Leaving');
    const { user_id } = await makeUser(team);
    const scope = forTeam(
      app.ctx,
      (await findTeamScopeOrNull(app.ctx, team.id)) as NonNullable<Awaited<ReturnType<typeof findTeamScopeOrNull>>>,
    );
    let finish = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let stored = (): void => undefined;
    const isStored = new Promise<void>((resolve) => {
      stored = resolve;
    });
    const pushing = inTransaction(scope, async (tx) => {
      await pushSamples(tx as never, user_id, [sample(1) as never]);
      stored();
      await released;
    });
    await isStored;
    await app.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`, undefined, { key: team.management_key });
    const erasing = eraseTeams(app.ctx);
    await untilBlocked(app.db);
    finish();
    await pushing;
    await erasing;
    const { rows } = await sql<{ left: number }>`
      select ((select count(*) from samples)
              - (select count(*) from samples join streams on streams.id = stream_id))::float8 as left`.execute(app.db);
    expect(rows[0]?.left).toBe(0);
  });
});

test('the retention job makes the partitions of this month and of the next two', async () => {
  const { rows: months } = await sql<{ part: string }>`
    select 'samples_' || to_char(now() at time zone 'UTC' + make_interval(months => ahead), 'YYYYMM') as part
      from generate_series(0, 2) as months (ahead)`.execute(app.db);
  const parts = months.map(({ part }) => part);
  for (const part of parts) await query(app.databaseUrl, `drop table if exists ${part}`);
  await runRetention(app.ctx);
  const { rows: made } = await sql<{ part: string }>`
    select inhrelid::regclass::text as part from pg_inherits
     where inhparent = 'samples'::regclass and inhrelid::regclass::text = any (${parts}::text[]) order by 1`.execute(
    app.db,
  );
  expect(made.map(({ part }) => part)).toEqual(parts);
});

describe('an old sample', () => {
  const note = (start: string) => ({
    resource: 'note',
    provider: 'manual',
    start,
    end: start,
    unit: 'text',
    value: 'Long ago',
  });

  test('can be stored and read, whenever it was taken', async () => {
    const { user_id } = await makeUser(app.team);
    const old = ['1999-12-31T23:59:59.999Z', '2019-02-28T12:00:00.000Z', '2025-06-01T00:00:00.000Z'];
    await push(
      user_id,
      old.map((timestamp) => sample(0, { timestamp })),
    );
    for (const timestamp of old) {
      const day = timestamp.slice(0, 10);
      const { body } = await app.api<{ timestamp: string }[]>(
        'GET',
        `/v2/timeseries/${user_id}/heartrate?start_date=${day}&end_date=${day}`,
      );
      expect(body).toEqual([expect.objectContaining({ timestamp })]);
    }
  });

  test('is deleted after the retention time, with its partition or from a partition that stays', async () => {
    const { user_id } = await makeUser(app.team);
    const retainedAt = new Date(Date.now() - 40 * 86_400_000).toISOString();
    await push(
      user_id,
      ['1999-02-28T12:00:00Z', '2019-02-28T12:00:00Z', '2025-02-10T12:00:00Z', retainedAt].flatMap((at) => [
        sample(0, { timestamp: at }),
        note(at),
      ]),
    );
    await dropExpired({ ...app.ctx, db: app.db, config: { ...app.config, sampleRetentionMonths: null } });
    expect(await samplesOf(user_id)).toBe(8);
    const retaining = { ...app.ctx, db: app.db, config: { ...app.config, sampleRetentionMonths: 12 } };
    await dropExpired(retaining);
    await deleteBefore(retaining, new Date(Date.now() - 366 * 86_400_000).toISOString().slice(0, 10));
    expect(await samplesOf(user_id)).toBe(2);
    const { rows } = await sql<{ name: string | null }>`
      select to_regclass('samples_2015')::text as name union all select count(*)::text from sample_notes`.execute(
      app.db,
    );
    expect(rows.map(({ name }) => name)).toEqual([null, '1']);
  });

  test('is deleted from a partition that stays in one hour of the day only', async () => {
    const { user_id } = await makeUser(app.team);
    // The sample is in the default partition, which is never dropped.
    await push(user_id, [sample(0, { timestamp: '1999-02-28T12:00:00Z' })]);
    const retaining = { ...app.ctx, db: app.db, config: { ...app.config, sampleRetentionMonths: 12 } };
    const hourOfDatabase = async (): Promise<number> => {
      const { rows } = await sql<{ hour: number }>`
        select extract(hour from now() at time zone 'UTC')::integer as hour`.execute(app.db);
      return rows[0]?.hour as number;
    };
    await dropExpired(retaining, ((await hourOfDatabase()) + 12) % 24);
    expect(await samplesOf(user_id)).toBe(1);
    let hour: number;
    do {
      hour = await hourOfDatabase();
      await dropExpired(retaining, hour);
    } while (hour !== (await hourOfDatabase()));
    expect(await samplesOf(user_id)).toBe(0);
  });

  test('is deleted along the key of its stream, without a sequential scan of the partitions that stay', async () => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, [sample(0, { timestamp: '2025-06-01T00:00:00Z' })]);
    const many = await makeUser(app.team);
    await push(
      many.user_id,
      Array.from({ length: 3_000 }, (_, n) => sample(n)),
    );
    const read = await app.db.transaction().execute(async (db) => {
      await deleteBefore({ ...app.ctx, db: db as unknown as typeof app.db }, '2025-06-02');
      const { rows } = await sql<{ read: number }>`
        select sum(seq_tup_read)::integer as read from pg_stat_xact_user_tables where relname like 'samples%'`.execute(
        db,
      );
      return rows[0]?.read;
    });
    expect([await samplesOf(user_id), await samplesOf(many.user_id)]).toEqual([0, 3_000]);
    // PostgreSQL reads partitions of a few rows sequentially. So the number need not be 0.
    expect(read).toBeLessThan(100);
  });

  test('is never dropped if it is younger than a month, whatever date is given', async () => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, [sample(0, { timestamp: new Date(Date.now() - 60_000).toISOString() })]);
    await query(app.databaseUrl, `select drop_samples_before('2100-01-01')`);
    expect(await samplesOf(user_id)).toBe(1);
  });
});
