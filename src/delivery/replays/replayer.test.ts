import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Team, TestApp } from '../../../test/test-app.ts';
import { steps } from '../../../test/invented-events.ts';
import { subscribe, webhookPath } from '../../../test/factories.ts';
import { publishTo } from '../../../test/publish-event.ts';
import type { Endpoint } from '../../../test/endpoint.ts';
import { eachWithEndpoint } from '../../../test/subscribed.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { minIdAt } from '../../ids.ts';
import { deploymentPolicy } from '../../outbound/deployment-policy.ts';
import { Threshold } from '../../fair/threshold.ts';
import { Attempts } from '../attempts.ts';
import { OwnedQueues } from '../queues/owned-queues.ts';
import { Worker } from '../queues/delivery-worker.ts';
import { fillQueues } from '../queues/fill-queues.ts';
import { EndpointCache } from '../endpoint-cache.ts';
import { openSender } from '../sending/send.ts';
import { Replayer } from './replayer.ts';

/** The most webhook replays that a team may have. One round reads events for only 16 of them. */
const REPLAYS = 20;
/** The number of events that one read takes. */
const LOOKED_AT = 500;
/** The number of reads that each replay needs. */
const LOOKS = 16;
/** A replay may read again after 50 ms. */
const UNTIL_ALL_READ_AGAIN_MS = 60;
/** The other team's replay needs two rounds. A few more make sure that a busy machine does not fail the test. */
const FEW_ROUNDS = 6;
/** A replay that cannot start yet, because earlier transactions are under way, checks again after 100 ms. */
const UNTIL_LOOKED_AGAIN_MS = 120;

let app: TestApp;
let endpoint: Endpoint;
eachWithEndpoint((each) => ({ app, endpoint } = each));

const hourAgo = Date.now() - 3_600_000;
const replay = async (team: Team, body: object = {}): Promise<string> => {
  const webhook = await subscribe(team, endpoint);
  const path = `${webhookPath(team)}/${webhook}/replay`;
  const { body: job } = await team.api<{ id: string }>('POST', path, {
    since: new Date(hourAgo - 60_000).toISOString(),
    per_second: 400,
    ...body,
  });
  return `${path}/${job.id}`;
};

/** Inserts sleep events. A replay of step events reads them but does not send them. */
const fillWithOthers = (team: Team) =>
  sql`
  insert into events (team_id, id, event_type, body)
  select ${team.id}, (${minIdAt(hourAgo).slice(0, 24)} || lpad(to_hex(n), 12, '0'))::uuid,
      'daily.data.sleep.created', ''
    from generate_series(1, ${LOOKED_AT * LOOKS}::int) as n`.execute(app.db);

function startReplayer(): { round: () => Promise<number>; stop: () => Promise<void> } {
  const ctx = acrossTeams(app.ctx);
  const queues = new OwnedQueues(ctx, new Worker());
  const permits = new Threshold(512);
  const sender = openSender({ policy: deploymentPolicy(app.config), userAgent: 'Phial test' });
  const attempts = new Attempts(ctx, { sender, metrics: app.metrics, permits, onEnd: (queue) => queues.ended(queue) });
  const replayer = new Replayer(ctx, { queues, endpoints: new EndpointCache(ctx), attempts, permits });
  const round = async (): Promise<number> => {
    // A replay starts only if no other delivery waits. This read finds that the queues are empty.
    await fillQueues(ctx.db, queues.ready(performance.now()), permits);
    return replayer.round();
  };
  const stop = async (): Promise<void> => {
    await sender.close();
    await attempts.finish();
    await queues.releaseAll('all');
  };
  return { round, stop };
}

/** Waits until all present transactions of the server have ended. Until then a replay does not begin to read. */
async function untilStable(): Promise<void> {
  const { rows } = await sql<{ next: string }>`select pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(
    app.db,
  );
  const isStable = sql<{ yes: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) >= ${rows[0]?.next}::xid8 as yes`;
  await expect.poll(async () => (await isStable.execute(app.db)).rows[0]?.yes, { timeout: 10_000 }).toBe(true);
}

type Job = { status: string; done_until: string | null; events_found: number; events_delivered: number };

test('replays that read much and send nothing delay neither each other nor those of another team', async () => {
  const team = await app.makeTeam();
  await fillWithOthers(team);
  const replays: string[] = [];
  for (let n = 0; n < REPLAYS; n += 1) {
    replays.push(await replay(team, { event_types: [steps.name] }));
  }
  const other = await app.makeTeam();
  await publishTo(app, other, steps, {});
  const sending = await replay(other);
  const { round, stop } = startReplayer();
  try {
    let begun = await round();
    await untilStable();
    await pause(UNTIL_LOOKED_AGAIN_MS);
    for (let rounds = 0; rounds < FEW_ROUNDS; rounds += 1) {
      begun += await round();
      await pause(UNTIL_ALL_READ_AGAIN_MS);
    }
    expect(begun).toBe(1);
    const jobs = await Promise.all(replays.map(async (path) => (await team.api<Job>('GET', path)).body));
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
