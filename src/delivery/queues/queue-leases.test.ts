import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { attempted, dueNow, queued } from '../../../test/deliveries.ts';
import { steps } from '../../../test/invented-events.ts';
import { subscribe, webhookPath } from '../../../test/factories.ts';
import { outcomeOf } from '../../../test/send-outcome.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import type { Db } from '../../db/open-database.ts';
import { publishEvent } from '../../events/publish.ts';
import { newId } from '../../ids.ts';
import {
  leaseQueues,
  leaseDueQueues,
  LEASE_SECONDS,
  releaseQueues,
  renewQueues,
  wakeQueues,
  type Lease,
} from './queue-leases.ts';
import { OwnedQueues } from './owned-queues.ts';
import { Worker } from './delivery-worker.ts';
import { recordOutcomes } from '../record-outcomes.ts';

const [A, B] = [newId(), newId()];

let app: TestApp;
let ctx: Ctx;
let team: Team;
let endpoint: Endpoint;
let webhook: string;
beforeAll(async () => {
  app = await startTestApp();
  ctx = acrossTeams(app.ctx);
});
afterAll(() => app.close());
beforeEach(async () => {
  await sql`delete from deliveries`.execute(ctx.db);
  await sql`delete from retries`.execute(ctx.db);
  team = await app.makeTeam();
  endpoint = await startEndpoint({ invented: true });
  webhook = await subscribe(team, endpoint);
});
afterEach(() => endpoint.close());

const publish = () => publishTo(app, team, steps, {});
const lease = async (owner: string, db: Db = ctx.db): Promise<Lease | undefined> =>
  (await leaseQueues(db, owner, [webhook]))[0];
const leaseEnds = () => sql`update endpoint_queues set wake_at = now() where webhook_id = ${webhook}`.execute(ctx.db);
const woken = async (): Promise<string[]> =>
  (await leaseDueQueues(ctx.db, B, 100)).map((found) => found.webhook_id).filter((id) => id === webhook);
const row = () =>
  ctx.db
    .selectFrom('endpoint_queues')
    .select(['owner', 'fence', sql<number | null>`extract(epoch from wake_at - now())::float8`.as('wakes_in')])
    .where('webhook_id', '=', webhook)
    .executeTakeFirstOrThrow();

const ids = (queues: OwnedQueues): string[] =>
  queues
    .ready(performance.now())
    .map(({ webhook_id }) => webhook_id)
    .toSorted();

const record = (leased: Lease, event_id: string, status: number, attempt = 1) =>
  recordOutcomes(ctx, [
    {
      delivery: {
        ...leased,
        event_id,
        attempt,
        from: attempt === 1 ? 'deliveries' : 'retries',
        schedule_from: 0,
        trigger: null,
        asked: null,
        event_type: steps.name,
        headers_id: null,
        url_changes: 0,
      },
      outcome: outcomeOf(status),
      delay: status < 300 ? null : 5,
    },
  ]);

describe('an endpoint queue', () => {
  test('that another transaction is leasing is left to it', async () => {
    await ctx.db.transaction().execute(async (tx) => {
      expect(await lease(A, tx as unknown as Db)).toMatchObject({ webhook_id: webhook, team_id: team.id });
      expect(await lease(B)).toBeUndefined();
    });
  });

  test('stays with its owner until the lease ends, then another worker takes it with another fence', async () => {
    const first = (await lease(A)) as Lease;
    expect([await lease(B), await woken()]).toEqual([undefined, []]);
    expect((await row()).wakes_in).toBeGreaterThan(LEASE_SECONDS - 5);
    await leaseEnds();
    expect(await woken()).toEqual([webhook]);
    expect(await row()).toMatchObject({ owner: B, fence: first.fence + 1 });
  });

  test('stays with an owner that renews, and the renewal fails when another worker has taken it', async () => {
    const first = (await lease(A)) as Lease;
    await leaseEnds();
    expect(await renewQueues(ctx.db, A, [first])).toEqual([{ webhook_id: webhook, renewed: true }]);
    expect(await lease(B)).toBeUndefined();
    await leaseEnds();
    expect(await lease(B)).toBeDefined();
    expect(await renewQueues(ctx.db, A, [first])).toEqual([]);
    expect((await row()).owner).toBe(B);
  });

  test('whose lease ran out with deliveries under way keeps its fence when nobody took it', async () => {
    await publish();
    const queues = new OwnedQueues(ctx, new Worker());
    queues.notify(webhook);
    await queues.takeNotified();
    const [queue] = queues.ready(performance.now());
    queue?.addFirsts(
      [
        {
          webhook_id: webhook,
          event_id: newId(),
          attempt: 1,
          from: 'deliveries',
          schedule_from: 0,
          trigger: null,
          asked: null,
        },
      ],
      16,
    );
    expect(queue?.next(performance.now(), null)).not.toBeNull();
    const { fence } = await row();
    // As if the database had been unavailable for longer than a lease.
    await leaseEnds();
    const clock = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => clock() + (LEASE_SECONDS + 10) * 1000);
    expect(queues.ready(performance.now())).toEqual([]);
    await queues.poll();
    later.mockRestore();
    expect((await row()).fence).toBe(fence);
    expect(await lease(B)).toBeUndefined();
  });

  test('that was being leased while its worker was cut off is released', async () => {
    await publish();
    const worker = new Worker();
    const queues = new OwnedQueues(ctx, worker);
    worker.lock();
    queues.notify(webhook);
    const taking = queues.takeNotified();
    worker.lost();
    queues.doubt();
    await taking;
    expect(queues.ready(performance.now())).toEqual([]);
    expect(await row()).toMatchObject({ owner: null, fence: 1 });
    expect(await woken()).toEqual([webhook]);
  });

  test('of a worker that was cut off is its own again after a renewal under the new id', async () => {
    await publish();
    const worker = new Worker();
    const queues = new OwnedQueues(ctx, worker);
    worker.lock();
    queues.notify(webhook);
    await queues.takeNotified();
    const cut = (): void => {
      worker.lost();
      queues.doubt();
    };
    cut();
    const [queue] = await queues.take([webhook]);
    expect([queue, queues.ready(performance.now())]).toEqual([undefined, []]);
    worker.lock();
    const renewing = queues.poll();
    cut();
    await renewing;
    expect(queues.ready(performance.now())).toEqual([]);
    await queues.poll();
    expect(queues.ready(performance.now())).toHaveLength(1);
    expect(await row()).toMatchObject({ owner: worker.id, fence: 1 });
  });

  test('of a dead worker is taken together with its others, a part in each of several polls', async () => {
    const dead = newId();
    await ctx.db.insertInto('delivery_workers').values({ id: dead }).execute();
    await sql`
      with made as (
        insert into webhooks (id, team_id, url) select gen_random_uuid(), ${team.id}::uuid, ${endpoint.url}
            from generate_series(1, 1100)
        returning id, team_id
      )
      insert into endpoint_queues (webhook_id, team_id, owner, wake_at)
          select id, team_id, ${dead}::uuid, now() + interval '20 s' from made`.execute(ctx.db);
    const worker = new Worker();
    const queues = new OwnedQueues(ctx, worker);
    worker.lock();
    worker.listening();
    expect([await queues.poll(), await queues.poll(), await queues.poll()]).toEqual([true, true, false]);
    const owned = await ctx.db.selectFrom('endpoint_queues').select('fence').where('owner', '=', worker.id).execute();
    expect(owned.filter(({ fence }) => fence === 1)).toHaveLength(1100);
  });

  test('that got a delivery during a search is taken by that search when it was requested again', async () => {
    await publish();
    const other = await app.makeTeam();
    const late = await subscribe(other, endpoint);
    const queues = new OwnedQueues(ctx, new Worker());
    let looking: Promise<unknown> | undefined;
    await ctx.db.transaction().execute(async (db) => {
      // The search waits here: its statement that leases queues needs this table.
      await sql`lock table webhooks in access exclusive mode`.execute(db);
      looking = queues.poll();
      await untilBlocked(ctx.db);
      await publishEvent({ ...app.ctx, db, team: other }, steps, { user: null, data: {} });
      queues.lookEverywhere();
    });
    await looking;
    const taken = queues.ready(performance.now()).map(({ webhook_id }) => webhook_id);
    expect(taken).toEqual(expect.arrayContaining([webhook, late]));
  });

  test('of the team with the most queues is released when another needs room, and wakes later', async () => {
    const other = await app.makeTeam();
    const others = [webhook, await subscribe(team, endpoint), await subscribe(team, endpoint)];
    for (let n = 0; n < 3; n += 1) await publish();
    const queues = new OwnedQueues(ctx, new Worker(), 3);
    await queues.poll();
    await queues.releaseLeft();
    expect(ids(queues)).toEqual(others.toSorted());
    const late = await subscribe(other, endpoint);
    await publishTo(app, other, steps, {});
    queues.notify(late);
    await queues.takeNotified();
    await queues.releaseLeft();
    expect(ids(queues)).toHaveLength(2);
    expect(ids(queues)).toContain(late);
    const gone = others.filter((id) => !ids(queues).includes(id));
    const waking = await ctx.db
      .selectFrom('endpoint_queues')
      .select(['webhook_id', sql<number>`extract(epoch from wake_at - now())::float8`.as('wakes_in')])
      .where('owner', 'is', null)
      .where('webhook_id', 'in', others)
      .execute();
    expect(waking.map(({ webhook_id }) => webhook_id).toSorted()).toEqual(gone.toSorted());
    for (const { wakes_in } of waking) expect(wakes_in).toBeGreaterThan(2);
    expect(Math.max(...waking.map(({ wakes_in }) => wakes_in))).toBeLessThanOrEqual(5);
    queues.notify(gone[0] as string);
    await queues.takeNotified();
    expect(ids(queues)).toContain(gone[0]);
  });

  test('that was released for others sleeps when nothing waits, and a due retry delays its wake time', async () => {
    const leased = (await lease(A)) as Lease;
    await releaseQueues(ctx.db, [{ ...leased, othersFirstSeconds: 5 }]);
    expect((await row()).wakes_in).toBeNull();
    const event = await publish();
    const again = (await lease(A)) as Lease;
    await record(again, event, 500);
    await dueNow(app);
    await releaseQueues(ctx.db, [{ ...again, othersFirstSeconds: 5 }]);
    expect((await row()).wakes_in).toBeGreaterThan(3);
  });

  test('of a disabled endpoint is not taken', async () => {
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
    expect(await lease(A)).toBeUndefined();
  });

  test('that is released sleeps while nothing waits, and wakes at once when a delivery waits', async () => {
    await releaseQueues(ctx.db, [(await lease(A)) as Lease]);
    expect(await row()).toMatchObject({ owner: null, wakes_in: null });
    await publish();
    await releaseQueues(ctx.db, [(await lease(A)) as Lease]);
    expect(await woken()).toEqual([webhook]);
  });

  test('that is released wakes when its first retry is due', async () => {
    const event = await publish();
    const leased = (await lease(A)) as Lease;
    await record(leased, event, 500);
    await releaseQueues(ctx.db, [leased]);
    const { wakes_in } = await row();
    expect(wakes_in).toBeGreaterThan(3);
    expect(wakes_in).toBeLessThanOrEqual(5);
  });

  test('that its former owner releases stays with the new owner', async () => {
    const slow = (await lease(A)) as Lease;
    await leaseEnds();
    await lease(B);
    await releaseQueues(ctx.db, [slow]);
    expect((await row()).owner).toBe(B);
  });

  test('of a disabled endpoint sleeps after its release until the endpoint is enabled', async () => {
    await publish();
    const leased = (await lease(A)) as Lease;
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
    await releaseQueues(ctx.db, [leased]);
    expect((await row()).wakes_in).toBeNull();
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: false });
    expect(await woken()).toEqual([webhook]);
  });

  test('stays leased when its endpoint is being enabled, and wakes after the next release', async () => {
    await publish();
    const leased = (await lease(A)) as Lease;
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
    await ctx.db.transaction().execute(async (tx) => {
      await sql`update webhooks set disabled = false where id = ${webhook}`.execute(tx);
      await wakeQueues(tx, [webhook]);
      expect(await releaseQueues(ctx.db, [leased])).toEqual([webhook]);
    });
    expect((await row()).owner).toBe(A);
    expect(await releaseQueues(ctx.db, [leased])).toEqual([]);
    expect(await woken()).toEqual([webhook]);
  });

  test('whose row is locked is neither renewed nor lost', async () => {
    const leased = (await lease(A)) as Lease;
    await ctx.db.transaction().execute(async (tx) => {
      await wakeQueues(tx, [webhook]);
      expect(await renewQueues(ctx.db, A, [leased])).toEqual([{ webhook_id: webhook, renewed: false }]);
    });
    expect(await renewQueues(ctx.db, A, [leased])).toEqual([{ webhook_id: webhook, renewed: true }]);
  });

  test.each([
    ['deleted', 'deliveries', (path: string) => team.api('DELETE', path)],
    ['enabled again', 'retries', (path: string) => team.api('PATCH', path, { disabled: false })],
  ] as const)('of an endpoint that is being %s can be renewed, however long its %s take', async (_, queue, change) => {
    const event = await publish();
    const leased = (await lease(A)) as Lease;
    if (queue === 'retries') await record(leased, event, 500);
    if (queue === 'retries') await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
    let changed: Promise<{ status: number }> | undefined;
    await ctx.db.transaction().execute(async (tx) => {
      await sql`select from ${sql.table(queue)} where webhook_id = ${webhook} for update`.execute(tx);
      changed = change(`${webhookPath(team)}/${webhook}`);
      await untilBlocked(ctx.db);
      expect(await renewQueues(ctx.db, A, [leased])).toEqual([{ webhook_id: webhook, renewed: true }]);
    });
    expect((await changed)?.status).toBeLessThan(300);
    expect(await queued(app, webhook)).toHaveLength(queue === 'retries' ? 1 : 0);
  });
});

describe('the outcome of a delivery', () => {
  test.each([200, 500])('is not written by a worker whose queue was taken over (%i)', async (status) => {
    const event = await publish();
    const slow = (await lease(A)) as Lease;
    await leaseEnds();
    const next = (await lease(B)) as Lease;
    expect(await record(slow, event, status)).toMatchObject({ locked: [], disable: [], exhausted: [] });
    expect([await attempted(app, webhook), await queued(app, webhook)]).toMatchObject([[], [{ attempt: 0 }]]);
    await record(next, event, 200);
    expect([await attempted(app, webhook), await queued(app, webhook)]).toMatchObject([
      [{ attempt: 1, outcome: 'succeeded', http_status: 200 }],
      [],
    ]);
    await record(next, event, status);
    expect((await attempted(app, webhook)).length).toBe(1);
  });

  test('moves the delivery from retry to retry', async () => {
    const event = await publish();
    const leased = (await lease(A)) as Lease;
    await record(leased, event, 500);
    await record(leased, event, 500, 2);
    expect(await queued(app, webhook)).toMatchObject([{ event_id: event, attempt: 2, due: false }]);
    await dueNow(app);
    await record(leased, event, 200, 3);
    expect(await queued(app, webhook)).toEqual([]);
    expect((await attempted(app, webhook)).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });
});
