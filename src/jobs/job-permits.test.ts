// Jobs that wait for a provider use only their own permits. The runner is the same as in the program.
import { runOnce, type JobHelpers, type Runner } from 'graphile-worker';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { makeUser, orderKit, readOrder, simulate } from '../../test/factories.ts';
import { addJob } from '../db/define-job.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { openDatabase, type Database } from '../db/open-database.ts';
import { outboxKind } from '../labs/orders/send-out.ts';
import { inboxKind } from '../wearables/hooks/inbox.ts';
import { PROVIDERS } from '../wearables/providers/provider-catalogue.ts';
import { DEMO_IMPORTERS } from '../wearables/pulls/demo/demo-importers.ts';
import type { Pulled, Importer } from '../wearables/providers/importer.ts';
import { openJobPermits } from './job-permits.ts';
import { runJobs, tasksOf, workerLogger } from './run-jobs.ts';

let app: TestApp;
let database: Database;
beforeAll(async () => {
  app = await startTestApp();
  database = openDatabase({ url: app.databaseUrl, poolSize: 6, role: 'phial_app', log: app.ctx.log });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await database.close();
  await app.close();
});

test('a team whose provider hangs delays neither other jobs nor other teams', async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  const hanging: Importer = {
    ...(DEMO_IMPORTERS['apple_health_kit'] as Importer),
    pull: () => {
      asked += 1;
      return {
        [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: await released }) }),
      } as AsyncIterable<Pulled>;
    },
  };
  vi.spyOn(DEMO_IMPORTERS, 'apple_health_kit', 'get').mockReturnValue(hanging);
  const other = await app.makeTeam('Other team');
  const [hung, quick] = [await makeUser(app.team), await makeUser(other)];
  // One request fetches everything of a connection. A team has two permits for such requests.
  const connected = [hung, await makeUser(app.team), await makeUser(app.team)];
  const runner: Runner = await runJobs({ ...app.ctx, db: database.db }, database.pool);
  try {
    for (const { user_id } of connected)
      await app.team.api('POST', '/v2/link/connect/demo', { user_id, provider: 'apple_health_kit' });
    await vi.waitFor(() => expect(asked).toBe(2), 10_000);
    await other.api('POST', '/v2/link/connect/demo', { user_id: quick.user_id, provider: 'freestyle_libre' });
    const order = await orderKit(app.team, hung.user_id);
    await simulate(app.team, order.id, '?delay=1');
    await vi.waitFor(async () => {
      const { body } = await other.api<{ data: { provider: Record<string, { pulled: object }> }[] }>(
        'GET',
        `/v2/introspect/historical_pull?user_id=${quick.user_id}`,
      );
      const pulled = Object.values(body.data[0]?.provider['freestyle_libre']?.pulled ?? {}) as { status: string }[];
      expect(pulled.map(({ status }) => status)).toEqual(PROVIDERS.freestyle_libre.resources.map(() => 'success'));
      expect((await readOrder(app.team, order.id)).events.length).toBeGreaterThan(3);
    }, 30_000);
    expect(asked).toBe(2);
  } finally {
    release();
    await runner.stop();
    // The runner writes the ends of jobs after it has stopped. The pool stays open until then.
    await vi.waitFor(async () => {
      const { rows } = await sql`select from graphile_worker._private_jobs where locked_at is not null`.execute(app.db);
      expect(rows).toEqual([]);
    }, 10_000);
  }
}, 60_000);

const payload = () => ({ team_id: app.team.id, user_id: randomUUID(), provider: 'oura' as const });
type WaitingJob = { key: string | null; run_at: string; flags: Record<string, true> | null };
const flagsOf = (of: string): Record<string, true> => ({
  [of]: true,
  [`${of} of ${app.team.id}`]: true,
  [`${of} of organisation ${app.team.org_id}`]: true,
});
/** Returns the jobs without a lock. A run that has just ended still has its lock, because its end is written later. */
const waiting = async (): Promise<WaitingJob[]> =>
  (
    await sql<WaitingJob>`
      select key, run_at, flags from graphile_worker.jobs
       where task_identifier = ${inboxKind.name} and locked_at is null`.execute(app.db)
  ).rows;
beforeEach(() => sql`delete from graphile_worker._private_jobs`.execute(app.db));

test('a job that calls another service has flags and a key, so it is the only one of its kind', async () => {
  const inbox = payload();
  for (const behind of [5, 6])
    await acrossTeams(app.ctx)
      .db.transaction()
      .execute((tx) => addJob(tx, inboxKind, inbox, { behind }));
  expect(await waiting()).toEqual([
    { key: `inbox ${inbox.user_id} oura`, run_at: expect.any(String), flags: flagsOf('calls') },
  ]);
});

test('a job that is added again keeps its position', async () => {
  const inbox = payload();
  await acrossTeams(app.ctx)
    .db.transaction()
    .execute((tx) => addJob(tx, inboxKind, inbox));
  const before = await waiting();
  for (const behind of [0, 100])
    await acrossTeams(app.ctx)
      .db.transaction()
      .execute((tx) => addJob(tx, inboxKind, inbox, { behind }));
  expect(await waiting()).toEqual(before);
});

test('a postponed job keeps its key and its position, and gives way to one that was added meanwhile', async () => {
  const inbox = payload();
  const full = openJobPermits();
  const workOnce = async () => {
    await runOnce({
      pgPool: database.pool,
      taskList: tasksOf(app.ctx, full),
      logger: workerLogger(app.ctx.log),
      noHandleSignals: true,
      forbiddenFlags: triedOnce(),
    });
  };
  const flags = Object.keys(flagsOf('calls'));
  full.take(flags);
  full.take(flags);
  await acrossTeams(app.ctx)
    .db.transaction()
    .execute((tx) => addJob(tx, inboxKind, inbox, { behind: 7 }));
  const before = await waiting();
  for (let n = 0; n < 3; n += 1) await workOnce();
  expect(await waiting()).toEqual(before);
  await tasksOf(app.ctx, full)[inboxKind.name]?.(inbox, {
    job: { id: '0', key: before[0]?.key, run_at: new Date(0), flags: flagsOf('calls') },
  } as unknown as JobHelpers);
  expect(await waiting()).toEqual(before);
});

/** Lets one poll of the queue pass, as if the permit was taken after it. Later polls leave the job where it is. */
function triedOnce(): () => string[] {
  let looks = 0;
  return () => ((looks += 1) > 1 ? ['calls'] : []);
}

test('the job that revokes tokens at providers needs a permit, and waits when its team has none', async () => {
  const name = 'revoke_provider_tokens';
  const full = openJobPermits();
  const flags = flagsOf('calls');
  full.take(Object.keys(flags));
  full.take(Object.keys(flags));
  const job = { id: '0', key: `${name} ${app.team.id}`, run_at: new Date(), flags };
  await tasksOf(app.ctx, full)[name]?.({ team_id: app.team.id }, { job } as unknown as JobHelpers);
  const { rows } = await sql`select key, flags from graphile_worker.jobs where task_identifier = ${name}`.execute(
    app.db,
  );
  expect(rows).toEqual([{ key: job.key, flags }]);
});

test('laboratories that do not answer share two permits', async () => {
  const full = openJobPermits();
  const flags = { calls: true, 'calls of laboratories': true };
  for (let n = 0; n < 2; n += 1) expect(full.take(Object.keys(flags))).toBe(true);
  const job = { id: '0', key: outboxKind.key?.({ lab_id: 7 }), run_at: new Date(), flags };
  await tasksOf(app.ctx, full)[outboxKind.name]?.({ lab_id: 7 }, { job } as unknown as JobHelpers);
  const { rows } = await sql`
    select key, flags from graphile_worker.jobs where task_identifier = ${outboxKind.name}`.execute(app.db);
  expect(rows).toEqual([{ key: job.key, flags }]);
  expect(full.take(Object.keys(flagsOf('calls')))).toBe(true);
});

test('permits are free again after the job, and an organisation never has all of them', () => {
  const permits = openJobPermits();
  const of = (team: string, org: string) => ['calls', `calls of ${team}`, `calls of organisation ${org}`];
  const [a, b, c, d] = [of('a', 'x'), of('b', 'x'), of('c', 'x'), of('d', 'y')];
  expect([a, a, a, b, c, d, d].map((flags) => permits.take(flags))).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
    false,
  ]);
  expect(permits.taken().toSorted()).toEqual(['calls', 'calls of a', 'calls of organisation x']);
  permits.leave(a);
  expect(permits.taken()).toEqual([]);
  expect([permits.take(c), permits.take(d)]).toEqual([true, false]);
});

test('a class without free permits leaves those of other classes free', () => {
  const permits = openJobPermits();
  for (const n of [1, 2, 3, 4]) expect(permits.take(['calls', `calls of ${n}`])).toBe(true);
  expect(permits.taken()).toContain('calls');
  for (const of of ['work', 'queries', 'pulls', 'erasures']) expect(permits.take([of])).toBe(true);
});

test('an owner with few waiting jobs goes before one with many, and no job waits for ever', async () => {
  const [many, few] = [await app.makeTeam(), await app.makeTeam()];
  const ask = (team_id: string, behind: number) =>
    acrossTeams(app.ctx)
      .db.transaction()
      .execute((tx) => addJob(tx, inboxKind, { ...payload(), team_id }, { behind }));
  for (let behind = 0; behind < 50; behind += 1) await ask(many.id, behind);
  await ask(few.id, 0);
  // Jobs that are added minutes later come after all of them.
  await sql`update graphile_worker._private_jobs set run_at = run_at - interval '5 minutes'`.execute(app.db);
  const later = await app.makeTeam();
  await ask(later.id, 0);
  const { rows } = await sql<{ team_id: string }>`
    select payload ->> 'team_id' as team_id from graphile_worker._private_jobs order by priority, run_at, id`.execute(
    app.db,
  );
  const servedTeams = rows.map(({ team_id }) => team_id);
  expect(servedTeams.indexOf(few.id)).toBeLessThan(3);
  expect(servedTeams.at(-1)).toBe(later.id);
});
