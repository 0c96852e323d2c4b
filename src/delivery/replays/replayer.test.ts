import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Team, TestApp } from '../../../test/app.ts';
import { steps } from '../../../test/events.ts';
import { subscribe, webhookPath } from '../../../test/factories.ts';
import { publishTo } from '../../../test/publish.ts';
import type { Receiver } from '../../../test/receiver.ts';
import { eachWithEndpoint } from '../../../test/subscribed.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { leastIdAt } from '../../ids.ts';
import { deploymentPolicy } from '../../outbound/deployment-policy.ts';
import { Threshold } from '../../fair/threshold.ts';
import { Attempts } from '../attempts.ts';
import { OwnedLanes } from '../lanes/owned-lanes.ts';
import { Worker } from '../lanes/workers.ts';
import { readLanes } from '../lanes/read-lanes.ts';
import { ReceiverCache } from '../receiver-cache.ts';
import { openSender } from '../sending/send.ts';
import { Replayer } from './replayer.ts';

/** As many as a team may have, and more than are kept up with in one round. */
const REPLAYS = 20;
/** What one look at the events of a team reads; each of the replays has so many looks before it. */
const LOOKED_AT = 500;
const LOOKS = 16;
/** Each replay reads again by then. */
const UNTIL_ALL_READ_AGAIN_MS = 60;
/** Two would do. */
const FEW_ROUNDS = 6;
/** A replay that was taken and not begun with looks again by then. */
const UNTIL_LOOKED_AGAIN_MS = 120;

let app: TestApp;
let receiver: Receiver;
eachWithEndpoint((each) => ({ app, receiver } = each));

const hourAgo = Date.now() - 3_600_000;
const replay = async (team: Team, body: object = {}): Promise<string> => {
  const webhook = await subscribe(team, receiver);
  const path = `${webhookPath(team)}/${webhook}/replay`;
  const { body: job } = await team.api<{ id: string }>('POST', path, {
    since: new Date(hourAgo - 60_000).toISOString(),
    per_second: 400,
    ...body,
  });
  return `${path}/${job.id}`;
};

/** Stored events that no replay of steps sends: all that it does is to read them. */
const fillWithOthers = (team: Team) =>
  sql`
  insert into events (team_id, id, event_type, body)
  select ${team.id}, (${leastIdAt(hourAgo).slice(0, 24)} || lpad(to_hex(n), 12, '0'))::uuid, 'daily.data.sleep.created', ''
    from generate_series(1, ${LOOKED_AT * LOOKS}::int) as n`.execute(app.db);

function startReplayer(): { round: () => Promise<number>; stop: () => Promise<void> } {
  const ctx = acrossTeams(app.ctx);
  const lanes = new OwnedLanes(ctx, new Worker());
  const places = new Threshold(512);
  const sender = openSender({ policy: deploymentPolicy(app.config), userAgent: 'Phial test' });
  const attempts = new Attempts(ctx, { sender, metrics: app.metrics, places, onEnd: (lane) => lanes.ended(lane) });
  const replayer = new Replayer(ctx, { lanes, receivers: new ReceiverCache(ctx), attempts, places });
  const round = async (): Promise<number> => {
    // The loop beside it sees that the lanes have nothing to send themselves, which comes first.
    await readLanes(ctx.db, lanes.ready(performance.now()), places);
    return replayer.round();
  };
  const stop = async (): Promise<void> => {
    await sender.close();
    await attempts.finish();
    await lanes.releaseAll('all');
  };
  return { round, stop };
}

/** Until no transaction of now, elsewhere on the server too, keeps a replay that was taken from beginning. */
async function untilSettled(): Promise<void> {
  const { rows } = await sql<{ next: string }>`select pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(
    app.db,
  );
  const isSettled = sql<{ yes: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) >= ${rows[0]?.next}::xid8 as yes`;
  await expect.poll(async () => (await isSettled.execute(app.db)).rows[0]?.yes, { timeout: 10_000 }).toBe(true);
}

type Job = { status: string; done_until: string | null; events_found: number; events_delivered: number };

test('replays that read much and send nothing hold up neither each other nor those of another team', async () => {
  const team = await app.makeTeam();
  await fillWithOthers(team);
  const scanning: string[] = [];
  for (let n = 0; n < REPLAYS; n += 1) {
    scanning.push(await replay(team, { event_types: [steps.name] }));
  }
  const other = await app.makeTeam();
  await publishTo(app, other, steps, {});
  const sending = await replay(other);
  const { round, stop } = startReplayer();
  try {
    let begun = await round();
    await untilSettled();
    await pause(UNTIL_LOOKED_AGAIN_MS);
    for (let rounds = 0; rounds < FEW_ROUNDS; rounds += 1) {
      begun += await round();
      await pause(UNTIL_ALL_READ_AGAIN_MS);
    }
    expect(begun).toBe(1);
    const jobs = await Promise.all(scanning.map(async (path) => (await team.api<Job>('GET', path)).body));
    expect(jobs.filter(({ done_until }) => done_until === null || Date.parse(done_until) < hourAgo)).toEqual([]);
    expect(jobs.filter(({ status }) => status !== 'running')).toEqual([]);
    await expect
      .poll(async () => {
        await round();
        return (await other.api<Job>('GET', sending)).body;
      })
      .toMatchObject({ status: 'succeeded', events_found: 1, events_delivered: 1 });
  } finally {
    await stop();
  }
});
