// What waits for a provider takes its own places and no other's: with the runner as the program has it.
import { runOnce, type JobHelpers, type Runner } from 'graphile-worker';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { makeUser, orderKit, readOrder, simulate } from '../../test/factories.ts';
import { addJob } from '../db/define-job.ts';
import { openDatabase, type Database } from '../db/open.ts';
import { outboxKind } from '../labs/orders/send-out.ts';
import { inboxKind } from '../wearables/hooks/inbox.ts';
import { DEMO_PULLERS } from '../wearables/pulls/demo/pullers.ts';
import type { Pulled, Puller } from '../wearables/pulls/puller.ts';
import { openPlaces } from './places.ts';
import { runJobs, tasksOf, workerLogger } from './run.ts';

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

test('a team whose provider hangs keeps neither other work nor other teams waiting', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  const hanging: Puller = {
    ...(DEMO_PULLERS['apple_health_kit'] as Puller),
    pull: () => {
      asked += 1;
      return {
        [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: await held }) }),
      } as AsyncIterable<Pulled>;
    },
  };
  vi.spyOn(DEMO_PULLERS, 'apple_health_kit', 'get').mockReturnValue(hanging);
  const other = await app.makeTeam('Other team');
  const [hung, quick] = [await makeUser(app.team), await makeUser(other)];
  const runner: Runner = await runJobs({ ...app.ctx, db: database.db }, database.pool);
  try {
    await app.team.api('POST', '/v2/link/connect/demo', { user_id: hung.user_id, provider: 'apple_health_kit' });
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
      expect(pulled.map(({ status }) => status)).toEqual(['success', 'success']);
      expect((await readOrder(app.team, order.id)).events.length).toBeGreaterThan(3);
    }, 30_000);
    expect(asked).toBe(2);
  } finally {
    release();
    await runner.stop();
    // The runner writes the ends of jobs after it has stopped; the pool stays open until then.
    await vi.waitFor(async () => {
      const { rows } = await sql`select from graphile_worker._private_jobs where locked_at is not null`.execute(app.db);
      expect(rows).toEqual([]);
    }, 10_000);
  }
}, 60_000);

const payload = () => ({ team_id: app.team.id, user_id: randomUUID(), provider: 'oura' as const });
/** A run that has just ended may still be locked: its end is written afterwards. */
type Waiting = { key: string | null; priority: number; flags: Record<string, true> | null };
const waiting = async (): Promise<Waiting[]> =>
  (
    await sql<Waiting>`
      select key, priority, flags from graphile_worker.jobs
       where task_identifier = ${inboxKind.name} and locked_at is null`.execute(app.db)
  ).rows;
beforeEach(() => sql`delete from graphile_worker._private_jobs`.execute(app.db));

test('a job that waits for somebody outside is held back by its flags and is the only one of its kind, whoever asks', async () => {
  const inbox = payload();
  for (const priority of [5, 6])
    await app.ctx.db.transaction().execute((tx) => addJob(tx, inboxKind, inbox, { priority }));
  expect(await waiting()).toEqual([
    { key: `inbox ${inbox.user_id} oura`, priority: 6, flags: { waits: true, [`team ${app.team.id}`]: true } },
  ]);
});

test('a job that is put off keeps its key and its turn, and gives way to one that was asked for meanwhile', async () => {
  const inbox = payload();
  const full = openPlaces();
  const workOnce = async () => {
    await sql`update graphile_worker._private_jobs set run_at = now()`.execute(app.db);
    await runOnce({
      pgPool: database.pool,
      taskList: tasksOf(app.ctx, full),
      logger: workerLogger(app.ctx.log),
      noHandleSignals: true,
    });
  };
  full.take(app.team.id);
  full.take(app.team.id);
  await app.ctx.db.transaction().execute((tx) => addJob(tx, inboxKind, inbox, { priority: 7 }));
  const before = await waiting();
  for (let n = 0; n < 3; n += 1) await workOnce();
  expect(await waiting()).toEqual(before);
  await tasksOf(app.ctx, full)[inboxKind.name]?.(inbox, {
    job: { id: '0', key: before[0]?.key, priority: 9 },
  } as JobHelpers);
  expect(await waiting()).toEqual(before);
});

test('what tells providers of ended connections takes a place, and waits where its team has none left', async () => {
  const name = 'revoke_provider_tokens';
  const full = openPlaces();
  full.take(app.team.id);
  full.take(app.team.id);
  const job = { id: '0', key: `${name} ${app.team.id}`, priority: 0 };
  await tasksOf(app.ctx, full)[name]?.({ team_id: app.team.id }, { job } as JobHelpers);
  const { rows } = await sql`select key, flags from graphile_worker.jobs where task_identifier = ${name}`.execute(
    app.db,
  );
  expect(rows).toEqual([{ key: job.key, flags: { waits: true, [`team ${app.team.id}`]: true } }]);
});

test('laboratories that are silent share two places, whichever they are', async () => {
  const full = openPlaces();
  for (const place of [outboxKind.placeOf?.({ lab_id: 8 }), outboxKind.placeOf?.({ lab_id: 9 })])
    expect(full.take(place as string)).toBe(true);
  const job = { id: '0', key: outboxKind.key?.({ lab_id: 7 }), priority: 0 };
  await tasksOf(app.ctx, full)[outboxKind.name]?.({ lab_id: 7 }, { job } as JobHelpers);
  const { rows } = await sql`
    select key, flags from graphile_worker.jobs where task_identifier = ${outboxKind.name}`.execute(app.db);
  expect(rows).toEqual([{ key: job.key, flags: { waits: true, 'team laboratories': true } }]);
  expect(full.take(app.team.id)).toBe(true);
});

test('places come back when work is done, and a team never has more than half of them', () => {
  const places = openPlaces();
  expect(['a', 'a', 'a', 'b', 'b', 'c'].map((team) => places.take(team))).toEqual([
    true,
    true,
    false,
    true,
    true,
    false,
  ]);
  expect(places.taken()).toEqual(['waits']);
  places.leave('a');
  expect(places.taken()).toEqual(['team b']);
  expect([places.take('b'), places.take('c'), places.take('c')]).toEqual([false, true, false]);
});
