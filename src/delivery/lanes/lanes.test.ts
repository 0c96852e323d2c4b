import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/app.ts';
import { attempted, dueNow, queued } from '../../../test/deliveries.ts';
import { steps } from '../../../test/events.ts';
import { subscribe, webhookPath } from '../../../test/factories.ts';
import { outcomeOf } from '../../../test/outcome.ts';
import { publishTo } from '../../../test/publish.ts';
import { startReceiver, type Receiver } from '../../../test/receiver.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import type { Db } from '../../db/open.ts';
import { publishEvent } from '../../events/publish.ts';
import { newId } from '../../ids.ts';
import {
  leaseLanes,
  leaseLanesThatWake,
  LEASE_SECONDS,
  releaseLanes,
  renewLanes,
  wakeLanes,
  type Lease,
} from './lanes.ts';
import { OwnedLanes } from './owned-lanes.ts';
import { Worker } from './workers.ts';
import { settleDeliveries } from '../settle.ts';

const [A, B] = [newId(), newId()];

let app: TestApp;
let ctx: Ctx;
let team: Team;
let receiver: Receiver;
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
  receiver = await startReceiver({ invented: true });
  webhook = await subscribe(team, receiver);
});
afterEach(() => receiver.close());

const tell = () => publishTo(app, team, steps, {});
const lease = async (owner: string, db: Db = ctx.db): Promise<Lease | undefined> =>
  (await leaseLanes(db, owner, [webhook]))[0];
const leaseEnds = () => sql`update lanes set wake_at = now() where webhook_id = ${webhook}`.execute(ctx.db);
const woken = async (): Promise<string[]> =>
  (await leaseLanesThatWake(ctx.db, B, 100)).map((found) => found.webhook_id).filter((id) => id === webhook);
const row = () =>
  ctx.db
    .selectFrom('lanes')
    .select(['owner', 'fence', sql<number | null>`extract(epoch from wake_at - now())::float8`.as('wakes_in')])
    .where('webhook_id', '=', webhook)
    .executeTakeFirstOrThrow();

const ids = (lanes: OwnedLanes): string[] =>
  lanes
    .ready(performance.now())
    .map(({ webhook_id }) => webhook_id)
    .toSorted();

const settle = (held: Lease, event_id: string, status: number, attempt = 1) =>
  settleDeliveries(ctx, [
    {
      delivery: {
        ...held,
        event_id,
        attempt,
        from: attempt === 1 ? 'deliveries' : 'retries',
        schedule_from: 0,
        trigger: null,
        asked: null,
        event_type: steps.name,
        headers_id: null,
        moves: 0,
      },
      outcome: outcomeOf(status),
      delay: status < 300 ? null : 5,
    },
  ]);

describe('a lane', () => {
  test('that another transaction is about to take is left to it', async () => {
    await ctx.db.transaction().execute(async (tx) => {
      expect(await lease(A, tx as unknown as Db)).toMatchObject({ webhook_id: webhook, team_id: team.id });
      expect(await lease(B)).toBeUndefined();
    });
  });

  test('is held until its lease ends, then falls to whoever looks, with another fence', async () => {
    const first = (await lease(A)) as Lease;
    expect([await lease(B), await woken()]).toEqual([undefined, []]);
    expect((await row()).wakes_in).toBeGreaterThan(LEASE_SECONDS - 5);
    await leaseEnds();
    expect(await woken()).toEqual([webhook]);
    expect(await row()).toMatchObject({ owner: B, fence: first.fence + 1 });
  });

  test('is kept by renewing, which fails for an owner that was succeeded', async () => {
    const first = (await lease(A)) as Lease;
    await leaseEnds();
    expect(await renewLanes(ctx.db, A, [first])).toEqual([{ webhook_id: webhook, renewed: true }]);
    expect(await lease(B)).toBeUndefined();
    await leaseEnds();
    expect(await lease(B)).toBeDefined();
    expect(await renewLanes(ctx.db, A, [first])).toEqual([]);
    expect((await row()).owner).toBe(B);
  });

  test('whose lease ran out while something of it was under way keeps its fence if nobody took it', async () => {
    await tell();
    const lanes = new OwnedLanes(ctx, new Worker());
    lanes.hint(webhook);
    await lanes.takeHinted();
    const [lane] = lanes.ready(performance.now());
    lane?.addFirsts(
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
    expect(lane?.next(performance.now(), null)).not.toBeNull();
    const { fence } = await row();
    // The database was away for longer than a lease.
    await leaseEnds();
    const clock = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => clock() + (LEASE_SECONDS + 10) * 1000);
    expect(lanes.ready(performance.now())).toEqual([]);
    await lanes.patrol();
    later.mockRestore();
    expect((await row()).fence).toBe(fence);
    expect(await lease(B)).toBeUndefined();
  });

  test('that was being taken while its worker was cut off is let go of', async () => {
    await tell();
    const worker = new Worker();
    const lanes = new OwnedLanes(ctx, worker);
    worker.lock();
    lanes.hint(webhook);
    const taking = lanes.takeHinted();
    worker.lost();
    lanes.doubt();
    await taking;
    expect(lanes.ready(performance.now())).toEqual([]);
    expect(await row()).toMatchObject({ owner: null, fence: 1 });
    expect(await woken()).toEqual([webhook]);
  });

  test('of a worker that was cut off is its own again once it was renewed under the new name', async () => {
    await tell();
    const worker = new Worker();
    const lanes = new OwnedLanes(ctx, worker);
    worker.lock();
    lanes.hint(webhook);
    await lanes.takeHinted();
    const cut = (): void => {
      worker.lost();
      lanes.doubt();
    };
    cut();
    const [lane] = await lanes.take([webhook]);
    expect([lane, lanes.ready(performance.now())]).toEqual([undefined, []]);
    worker.lock();
    const renewing = lanes.patrol();
    cut();
    await renewing;
    expect(lanes.ready(performance.now())).toEqual([]);
    await lanes.patrol();
    expect(lanes.ready(performance.now())).toHaveLength(1);
    expect(await row()).toMatchObject({ owner: worker.id, fence: 1 });
  });

  test('of a worker that died is taken with all its others, a part at each of patrols that follow at once', async () => {
    const dead = newId();
    await ctx.db.insertInto('delivery_workers').values({ id: dead }).execute();
    await sql`
      with made as (
        insert into webhooks (id, team_id, url) select gen_random_uuid(), ${team.id}::uuid, ${receiver.url} from generate_series(1, 1100)
        returning id, team_id
      )
      insert into lanes (webhook_id, team_id, owner, wake_at) select id, team_id, ${dead}::uuid, now() + interval '20 s' from made`.execute(
      ctx.db,
    );
    const worker = new Worker();
    const lanes = new OwnedLanes(ctx, worker);
    worker.lock();
    worker.listening();
    expect([await lanes.patrol(), await lanes.patrol(), await lanes.patrol()]).toEqual([true, true, false]);
    const owned = await ctx.db.selectFrom('lanes').select('fence').where('owner', '=', worker.id).execute();
    expect(owned.filter(({ fence }) => fence === 1)).toHaveLength(1100);
  });

  test('for which something was queued during a look at everything is taken by that look, where it was asked for again', async () => {
    await tell();
    const other = await app.makeTeam();
    const late = await subscribe(other, receiver);
    const lanes = new OwnedLanes(ctx, new Worker());
    let looking: Promise<unknown> | undefined;
    await ctx.db.transaction().execute(async (db) => {
      // It takes what it has found by a statement that waits for this.
      await sql`lock table webhooks in access exclusive mode`.execute(db);
      looking = lanes.patrol();
      await untilBlocked(ctx.db);
      await publishEvent({ ...app.ctx, db, team: other }, steps, { user: null, data: {} });
      lanes.lookEverywhere();
    });
    await looking;
    const taken = lanes.ready(performance.now()).map(({ webhook_id }) => webhook_id);
    expect(taken).toEqual(expect.arrayContaining([webhook, late]));
  });

  test('of who holds the most goes where others wait for room, and wakes behind them', async () => {
    const other = await app.makeTeam();
    const others = [webhook, await subscribe(team, receiver), await subscribe(team, receiver)];
    for (let n = 0; n < 3; n += 1) await tell();
    const lanes = new OwnedLanes(ctx, new Worker(), 3);
    await lanes.patrol();
    await lanes.releaseLeft();
    expect(ids(lanes)).toEqual(others.toSorted());
    const late = await subscribe(other, receiver);
    await publishTo(app, other, steps, {});
    lanes.hint(late);
    await lanes.takeHinted();
    await lanes.releaseLeft();
    expect(ids(lanes)).toHaveLength(2);
    expect(ids(lanes)).toContain(late);
    const gone = others.filter((id) => !ids(lanes).includes(id));
    const waking = await ctx.db
      .selectFrom('lanes')
      .select(['webhook_id', sql<number>`extract(epoch from wake_at - now())::float8`.as('wakes_in')])
      .where('owner', 'is', null)
      .where('webhook_id', 'in', others)
      .execute();
    expect(waking.map(({ webhook_id }) => webhook_id).toSorted()).toEqual(gone.toSorted());
    for (const { wakes_in } of waking) expect(wakes_in).toBeGreaterThan(2);
    expect(Math.max(...waking.map(({ wakes_in }) => wakes_in))).toBeLessThanOrEqual(5);
    lanes.hint(gone[0] as string);
    await lanes.takeHinted();
    expect(ids(lanes)).toContain(gone[0]);
  });

  test('that made room sleeps if nothing waits in it, and a retry that was due comes behind others', async () => {
    const held = (await lease(A)) as Lease;
    await releaseLanes(ctx.db, [{ ...held, othersFirstSeconds: 5 }]);
    expect((await row()).wakes_in).toBeNull();
    const event = await tell();
    const again = (await lease(A)) as Lease;
    await settle(again, event, 500);
    await dueNow(app);
    await releaseLanes(ctx.db, [{ ...again, othersFirstSeconds: 5 }]);
    expect((await row()).wakes_in).toBeGreaterThan(3);
  });

  test('of a disabled endpoint is not taken', async () => {
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
    expect(await lease(A)).toBeUndefined();
  });

  test('that is let go of sleeps while nothing waits, and wakes at once for what waits', async () => {
    await releaseLanes(ctx.db, [(await lease(A)) as Lease]);
    expect(await row()).toMatchObject({ owner: null, wakes_in: null });
    await tell();
    await releaseLanes(ctx.db, [(await lease(A)) as Lease]);
    expect(await woken()).toEqual([webhook]);
  });

  test('that is let go of wakes when its first retry is due', async () => {
    const event = await tell();
    const held = (await lease(A)) as Lease;
    await settle(held, event, 500);
    await releaseLanes(ctx.db, [held]);
    const { wakes_in } = await row();
    expect(wakes_in).toBeGreaterThan(3);
    expect(wakes_in).toBeLessThanOrEqual(5);
  });

  test('that is let go of by one who was succeeded stays with its owner', async () => {
    const slow = (await lease(A)) as Lease;
    await leaseEnds();
    await lease(B);
    await releaseLanes(ctx.db, [slow]);
    expect((await row()).owner).toBe(B);
  });

  test('of a disabled endpoint that is let go of sleeps, however much waits, until it is enabled', async () => {
    await tell();
    const held = (await lease(A)) as Lease;
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
    await releaseLanes(ctx.db, [held]);
    expect((await row()).wakes_in).toBeNull();
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: false });
    expect(await woken()).toEqual([webhook]);
  });

  test('that is let go of while its endpoint is being enabled stays, and wakes when it is let go of again', async () => {
    await tell();
    const held = (await lease(A)) as Lease;
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
    await ctx.db.transaction().execute(async (tx) => {
      await sql`update webhooks set disabled = false where id = ${webhook}`.execute(tx);
      await wakeLanes(tx, [webhook]);
      expect(await releaseLanes(ctx.db, [held])).toEqual([webhook]);
    });
    expect((await row()).owner).toBe(A);
    expect(await releaseLanes(ctx.db, [held])).toEqual([]);
    expect(await woken()).toEqual([webhook]);
  });

  test('whose row is locked is neither renewed nor lost', async () => {
    const held = (await lease(A)) as Lease;
    await ctx.db.transaction().execute(async (tx) => {
      await wakeLanes(tx, [webhook]);
      expect(await renewLanes(ctx.db, A, [held])).toEqual([{ webhook_id: webhook, renewed: false }]);
    });
    expect(await renewLanes(ctx.db, A, [held])).toEqual([{ webhook_id: webhook, renewed: true }]);
  });

  test.each([
    ['deleted', 'deliveries', (path: string) => team.api('DELETE', path)],
    ['enabled again', 'retries', (path: string) => team.api('PATCH', path, { disabled: false })],
  ] as const)('of an endpoint that is %s can be renewed however long its %s take', async (_, queue, change) => {
    const event = await tell();
    const held = (await lease(A)) as Lease;
    if (queue === 'retries') await settle(held, event, 500);
    if (queue === 'retries') await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
    let changed: Promise<{ status: number }> | undefined;
    await ctx.db.transaction().execute(async (tx) => {
      await sql`select from ${sql.table(queue)} where webhook_id = ${webhook} for update`.execute(tx);
      changed = change(`${webhookPath(team)}/${webhook}`);
      await untilBlocked(ctx.db);
      expect(await renewLanes(ctx.db, A, [held])).toEqual([{ webhook_id: webhook, renewed: true }]);
    });
    expect((await changed)?.status).toBeLessThan(300);
    expect(await queued(app, webhook)).toHaveLength(queue === 'retries' ? 1 : 0);
  });
});

describe('what became of a delivery', () => {
  test.each([200, 500])('is not written by a worker whose lane was taken over (%i)', async (status) => {
    const event = await tell();
    const slow = (await lease(A)) as Lease;
    await leaseEnds();
    const next = (await lease(B)) as Lease;
    expect(await settle(slow, event, status)).toMatchObject({ locked: [], disable: [], exhausted: [] });
    expect([await attempted(app, webhook), await queued(app, webhook)]).toMatchObject([[], [{ attempt: 0 }]]);
    await settle(next, event, 200);
    expect([await attempted(app, webhook), await queued(app, webhook)]).toMatchObject([
      [{ attempt: 1, outcome: 'succeeded', http_status: 200 }],
      [],
    ]);
    await settle(next, event, status);
    expect((await attempted(app, webhook)).length).toBe(1);
  });

  test('moves it from retry to retry', async () => {
    const event = await tell();
    const held = (await lease(A)) as Lease;
    await settle(held, event, 500);
    await settle(held, event, 500, 2);
    expect(await queued(app, webhook)).toMatchObject([{ event_id: event, attempt: 2, due: false }]);
    await dueNow(app);
    await settle(held, event, 200, 3);
    expect(await queued(app, webhook)).toEqual([]);
    expect((await attempted(app, webhook)).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });
});
