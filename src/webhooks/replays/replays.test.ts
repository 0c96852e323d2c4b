import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { attempted, dueNow, queued } from '../../../test/deliveries.ts';
import { sleep, steps } from '../../../test/invented-events.ts';
import { makeUser, subscribe, webhookPath } from '../../../test/factories.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import { startListeningWorker } from '../../../test/worker.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { publishEvent } from '../../events/publish.ts';
import { dropExpired } from '../erase.ts';

type Job = {
  id: string;
  status: string;
  held_up_by: string | null;
  since: string;
  until: string;
  done_until: string | null;
  events_found: number;
  events_delivered: number;
  events_failed: number;
  events_skipped: number;
  ended_at: string | null;
};

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
let since: string;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  endpoint = await startEndpoint({ invented: true });
  since = new Date().toISOString();
});
afterEach(() => endpoint.close());

const publish = async (times: number, type = steps): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < times; n += 1) ids.push(await publishTo(app, team, type, {}));
  return ids;
};
const ask = async (webhook: string, how: 'recover' | 'replay', body: object = {}): Promise<Job> =>
  (await team.api<Job>('POST', `${webhookPath(team)}/${webhook}/${how}`, { since, per_second: 400, ...body })).body;
const read = async (webhook: string, { id }: Job): Promise<Job> =>
  (await team.api<Job>('GET', `${webhookPath(team)}/${webhook}/replay/${id}`)).body;
/** Delivers until the replay has ended. Transactions of other tests may delay its start for a moment. */
const ended = async (webhook: string, job: Job): Promise<Job> => {
  await expect
    .poll(async () => {
      await app.deliver();
      return (await read(webhook, job)).ended_at;
    })
    .not.toBeNull();
  return read(webhook, job);
};
/** Runs a listening worker until `isTrue` returns true. Then attempts under way have `drainMs` to end. */
const workUntil = async (isTrue: () => boolean, { drainMs = 0 } = {}): Promise<void> => {
  const { close } = await startListeningWorker(app);
  try {
    await expect.poll(isTrue, { interval: 5, timeout: 10_000 }).toBe(true);
  } finally {
    await close(drainMs);
  }
};
const makeDue = async (webhook: string, event: string | undefined): Promise<void> => {
  await sql`update retries set due_at = now() where event_id = ${event}`.execute(app.db);
  await sql`update endpoint_queues set wake_at = now() where webhook_id = ${webhook}`.execute(app.db);
  await app.deliver();
};
const arrived = (): string[] => endpoint.received.map(({ id }) => id);
const fail = (): void => endpoint.answer((response) => response.writeHead(500).end());
const disable = (webhook: string, disabled: boolean) =>
  team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled });

describe('A replay', () => {
  test('sends events from before the endpoint was created, each once with its own id', async () => {
    const ids = await publish(40);
    const webhook = await subscribe(team, endpoint);
    const job = await ask(webhook, 'replay');
    expect(job).toMatchObject({ kind: 'replay', status: 'queued', events_found: 0, done_until: null, ended_at: null });
    expect(await ended(webhook, job)).toMatchObject({
      status: 'succeeded',
      events_found: 40,
      events_delivered: 40,
      events_failed: 0,
      events_skipped: 0,
      done_until: job.until,
    });
    expect(arrived().toSorted()).toEqual(ids.toSorted());
    expect((await attempted(app, webhook)).map(({ attempt, trigger }) => [attempt, trigger])).toEqual(
      ids.map(() => [1, 'replay']),
    );
    expect(await queued(app, webhook)).toEqual([]);
  });

  test('sends delivered events again, and counts their attempts on', async () => {
    const webhook = await subscribe(team, endpoint);
    const ids = await publish(3);
    await app.deliver();
    expect(await ended(webhook, await ask(webhook, 'replay'))).toMatchObject({ events_delivered: 3 });
    expect(arrived()).toEqual([...ids, ...ids]);
    expect((await attempted(app, webhook)).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 2, 2, 2]);
  });

  test('sends the events of its window that match the filters of the endpoint and its own', async () => {
    await publish(1);
    const from = new Date(Date.now() + 2);
    while (Date.now() < from.getTime() + 2);
    const [wanted] = await publish(1);
    await publish(1, sleep);
    while (Date.now() < from.getTime() + 30);
    const until = new Date().toISOString();
    while (Date.now() <= Date.parse(until) + 1);
    await publish(1);
    const webhook = await subscribe(team, endpoint, ['daily.data.*']);
    const window = { since: from.toISOString(), until, event_types: ['daily.data.steps.*'] };
    expect(await ended(webhook, await ask(webhook, 'replay', window))).toMatchObject({ events_found: 1 });
    expect(arrived()).toEqual([wanted]);
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { filter_types: ['labtest.order.*'] });
    expect(await ended(webhook, await ask(webhook, 'replay'))).toMatchObject({ events_found: 0 });
  });

  test('leaves first attempts that wait to the queue, and takes over retries', async () => {
    const webhook = await subscribe(team, endpoint);
    fail();
    const [failed] = await publish(1);
    await app.deliver();
    await disable(webhook, true);
    const [waiting] = await publish(1);
    const job = await ask(webhook, 'replay');
    endpoint.answer(null);
    await disable(webhook, false);
    // Enabling the endpoint makes the retry due. We delay it again, so that the replay sends it.
    await sql`update retries set due_at = now() + interval '1 hour' where webhook_id = ${webhook}`.execute(app.db);
    expect(await ended(webhook, job)).toMatchObject({ events_found: 2, events_failed: 0 });
    expect(arrived().toSorted()).toEqual([failed, waiting].toSorted());
    const made = (await attempted(app, webhook)).map(({ event_id, attempt, trigger }) => [event_id, attempt, trigger]);
    expect(made).toEqual(
      expect.arrayContaining([
        [failed, 2, 'replay'],
        [waiting, 1, null],
      ]),
    );
    expect(await queued(app, webhook)).toEqual([]);
  });

  test('waits for transactions that began before it, whose events have earlier ids', async () => {
    const webhook = await subscribe(team, endpoint, ['labtest.order.*']);
    await publish(1);
    let job: Job | null = null;
    const { id } = await acrossTeams(app.ctx)
      .db.transaction()
      .execute(async (db) => {
        const id = await publishEvent({ ...app.ctx, db, team }, steps, { user: null, data: {} });
        // publishEvent sends its insert only with the next statement of the transaction. So we run one.
        await sql`select 1`.execute(db);
        await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { filter_types: null });
        job = await ask(webhook, 'replay');
        await app.deliver();
        expect(arrived()).toEqual([]);
        return { id };
      });
    expect(await ended(webhook, job as unknown as Job)).toMatchObject({ events_delivered: 2 });
    expect(arrived()).toContain(id);
  });

  test('tries one event at a time when the endpoint fails, and each failed one gets its retries', async () => {
    await publish(30);
    const webhook = await subscribe(team, endpoint);
    fail();
    const job = await ask(webhook, 'replay');
    await workUntil(() => endpoint.requests() > 0, { drainMs: 5_000 });
    expect(endpoint.requests()).toBe(1);
    await app.deliver();
    expect(await read(webhook, job)).toMatchObject({
      status: 'running',
      held_up_by: 'endpoint_failing',
    });
    const failed = endpoint.requests();
    expect(await queued(app, webhook)).toMatchObject(Array(failed).fill({ attempt: 1, due: false }));
    endpoint.answer(null);
    expect(await ended(webhook, job)).toMatchObject({
      events_found: 30,
      events_delivered: 30 - failed,
      events_failed: failed,
    });
    await dueNow(app, webhook);
    await app.deliver();
    expect(new Set(arrived()).size).toBe(30);
    expect((await attempted(app, webhook)).length).toBe(30 + failed);
  });

  test('waits while the endpoint is disabled', async () => {
    const ids = await publish(2);
    const webhook = await subscribe(team, endpoint);
    await disable(webhook, true);
    const job = await ask(webhook, 'replay');
    await app.deliver();
    expect([arrived(), await read(webhook, job)]).toMatchObject([[], { held_up_by: 'endpoint_disabled' }]);
    await disable(webhook, false);
    await ended(webhook, job);
    expect(arrived()).toEqual(ids);
  });

  test('continues where another worker stopped, and sends nothing twice whose outcome was recorded', async () => {
    const ids = await publish(60);
    const webhook = await subscribe(team, endpoint);
    const job = await ask(webhook, 'replay');
    // The fifth request hangs. The worker records the outcomes of later events, but the saved progress ends before the
    // fifth event.
    const hanging: ServerResponse[] = [];
    let requests = 0;
    endpoint.answer((response) => {
      requests += 1;
      if (requests === 5) hanging.push(response);
      else response.writeHead(204).end();
    });
    await workUntil(() => requests >= 30);
    expect(hanging).toHaveLength(1);
    const written = (await attempted(app, webhook)).map(({ event_id }) => event_id);
    expect(written.length).toBeGreaterThan(10);
    // As if the worker had been killed before it saved any progress.
    await sql`
      update webhook_replays set done_to = '00000000-0000-0000-0000-000000000000', events_found = 0,
          events_delivered = 0
       where id = ${job.id}`.execute(app.db);
    endpoint.answer(null);
    expect(await ended(webhook, job)).toMatchObject({ events_found: 60, events_delivered: 60, events_failed: 0 });
    expect([...written, ...arrived()].toSorted()).toEqual(ids.toSorted());
  });

  test('defers events of a user who is scheduled for deletion, and sends them after an undo', async () => {
    const user = await makeUser(team);
    const about = { id: user.user_id, client_user_id: user.client_user_id };
    const event = await publishTo(app, team, steps, {}, about);
    const webhook = await subscribe(team, endpoint);
    await team.api('DELETE', `/v2/user/${user.user_id}`);
    expect(await ended(webhook, await ask(webhook, 'replay'))).toMatchObject({ events_found: 1, events_skipped: 1 });
    expect([arrived(), await queued(app, webhook)]).toEqual([[], []]);
    await team.api('POST', `/v2/user/undo_delete?user_id=${user.user_id}`);
    await app.deliver();
    expect(arrived()).toEqual([event]);
  });

  test('records nothing for an event that is erased meanwhile', async () => {
    const user = await makeUser(team);
    await publishTo(app, team, steps, {}, { id: user.user_id, client_user_id: user.client_user_id });
    const webhook = await subscribe(team, endpoint);
    let erased: Promise<unknown> | null = null;
    endpoint.answer((response) => {
      erased ??= sql`delete from events where team_id = ${team.id}`
        .execute(app.db)
        .then(() => response.writeHead(204).end());
    });
    expect(await ended(webhook, await ask(webhook, 'replay'))).toMatchObject({ events_delivered: 0, events_failed: 0 });
    expect([await attempted(app, webhook), await queued(app, webhook)]).toEqual([[], []]);
  });

  test('leaves slots of its endpoint for new events, which do not wait for the replay', async () => {
    await publish(60);
    const webhook = await subscribe(team, endpoint);
    const job = await ask(webhook, 'replay');
    const hanging: ServerResponse[] = [];
    let requests = 0;
    endpoint.answer((response) => {
      requests += 1;
      // Each success allows one more attempt at the same time.
      if (requests <= 32) response.writeHead(204).end();
      else hanging.push(response);
    });
    // One team alone gets a quarter of the 64 permits for replays.
    const ofReplay = 16;
    let live: string[] = [];
    const asked = (): string[] => hanging.map(({ req }) => req.headers['webhook-id'] as string);
    const working = workUntil(() => live.length > 0 && live.every((id) => asked().includes(id)));
    await expect.poll(() => hanging.length).toBe(ofReplay);
    live = await publish(10);
    await working;
    expect(hanging).toHaveLength(ofReplay + live.length);
    endpoint.answer(null);
    for (const response of hanging) response.destroy();
    await ended(webhook, job);
  });
});

test('Requests and cancellations of replays do not end the rest of an endpoint', async () => {
  const webhook = await subscribe(team, endpoint);
  endpoint.answer((response) => response.writeHead(429, { 'retry-after': '200' }).end());
  const busy = startListeningWorker(app);
  const [elsewhere, ofOther] = [await startEndpoint({ invented: true }), await app.makeTeam()];
  await subscribe(ofOther, elsewhere);
  /** Waits for three deliveries to another endpoint. By then the worker has handled all earlier notifications. */
  const rounds = async (): Promise<void> => {
    for (let n = 0; n < 3; n += 1) {
      const before = elsewhere.received.length;
      await publishTo(app, ofOther, steps, {});
      await expect.poll(() => elsewhere.received.length).toBe(before + 1);
    }
  };
  try {
    await publish(1);
    await expect.poll(async () => (await attempted(app, webhook)).length).toBe(1);
    await publish(1);
    const job = await ask(webhook, 'recover');
    await expect.poll(async () => (await read(webhook, job)).status).toBe('running');
    await rounds();
    expect(endpoint.requests()).toBe(1);
    await team.api('POST', `${webhookPath(team)}/${webhook}/replay/${job.id}/cancel`);
    await rounds();
    expect(endpoint.requests()).toBe(1);
    // A change of the endpoint ends the pause.
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { description: 'mended' });
    await expect.poll(() => endpoint.requests()).toBeGreaterThan(1);
  } finally {
    await (await busy).close();
    await elsewhere.close();
  }
});

test('A replay continues, with its rest, when another replay of its endpoint is requested', async () => {
  const webhook = await subscribe(team, endpoint);
  await disable(webhook, true);
  await publish(2);
  await sql`delete from deliveries where webhook_id = ${webhook}`.execute(app.db);
  await disable(webhook, false);
  // After this response only the replay pauses, not the entire queue of the endpoint.
  endpoint.answer((response) => response.writeHead(500, { 'retry-after': '60' }).end());
  const { close } = await startListeningWorker(app);
  try {
    const job = await ask(webhook, 'replay');
    await expect.poll(async () => (await read(webhook, job)).events_failed).toBe(1);
    await ask(webhook, 'replay');
    const other = await subscribe(team, endpoint);
    endpoint.answer(null);
    await ended(other, await ask(other, 'replay'));
    expect(await read(webhook, job)).toMatchObject({ status: 'running', events_found: 1 });
  } finally {
    await close();
  }
});

describe('A recovery', () => {
  test('sends events that were given up and that still fail, and none that has succeeded', async () => {
    const webhook = await subscribe(team, endpoint);
    await publish(1);
    await app.deliver();
    fail();
    const [exhausted, failing, recovered] = await publish(3);
    await app.deliver();
    await sql`update retries set attempt = 7 where webhook_id = ${webhook} and event_id = ${exhausted}`.execute(app.db);
    await makeDue(webhook, exhausted);
    endpoint.answer(null);
    await makeDue(webhook, recovered);
    endpoint.received.length = 0;
    expect(await ended(webhook, await ask(webhook, 'recover'))).toMatchObject({ events_found: 2, events_delivered: 2 });
    expect(arrived()).toEqual([exhausted, failing]);
    expect(await queued(app, webhook)).toEqual([]);
    expect((await attempted(app, webhook)).findLast(({ event_id }) => event_id === exhausted)?.attempt).toBe(9);
  });
});

describe('Cancelling', () => {
  test('ends a replay at once: waiting events are not sent, and the next replay may start', async () => {
    await publish(40);
    const webhook = await subscribe(team, endpoint);
    const job = await ask(webhook, 'replay', { per_second: 10 });
    const next = await ask(webhook, 'replay');
    expect(await read(webhook, next)).toMatchObject({ status: 'queued' });
    await workUntil(() => arrived().length > 0);
    const cancelled = await team.api<Job>('POST', `${webhookPath(team)}/${webhook}/replay/${job.id}/cancel`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', ended_at: expect.any(String) });
    const already = arrived().length;
    expect(already).toBeLessThan(20);
    const again = await team.api<Job>('POST', `${webhookPath(team)}/${webhook}/replay/${next.id}/cancel`);
    expect(again.body).toMatchObject({ status: 'cancelled', events_found: 0 });
    await app.deliver();
    expect(arrived().length).toBe(already);
    expect(await ended(webhook, await ask(webhook, 'replay'))).toMatchObject({ events_found: 40 });
    const twice = await team.api<Job>('POST', `${webhookPath(team)}/${webhook}/replay/${next.id}/cancel`);
    expect(twice.body).toEqual(again.body);
  });
});

describe('Replays', () => {
  test('are listed, the newest first, and expire with their events, as failed when they had not ended', async () => {
    const webhook = await subscribe(team, endpoint);
    const path = `${webhookPath(team)}/${webhook}/replay`;
    const first = await ended(webhook, await ask(webhook, 'replay'));
    await disable(webhook, true);
    const second = await ask(webhook, 'recover');
    const list = async (query = '') =>
      (await team.api<{ data: Job[]; next_cursor: string | null }>('GET', path + query)).body;
    expect((await list()).data.map(({ id }) => id)).toEqual([second.id, first.id]);
    const { data, next_cursor } = await list('?limit=1');
    expect(data).toHaveLength(1);
    expect((await list(`?limit=1&next_cursor=${next_cursor}`)).data.map(({ id }) => id)).toEqual([first.id]);
    await sql`update webhook_replays set ended_at = now() - interval '1000 days' where id = ${first.id}`.execute(
      app.db,
    );
    await sql`update webhook_replays set until = now() - interval '1000 days' where id = ${second.id}`.execute(app.db);
    await dropExpired(acrossTeams(app.ctx));
    expect((await list()).data).toMatchObject([{ id: second.id, status: 'failed' }]);
  });

  test('are limited to five for an endpoint and twenty for a team that wait or run', async () => {
    const webhooks: string[] = [];
    for (let n = 0; n < 5; n += 1) webhooks.push(await subscribe(team, endpoint));
    for (const webhook of webhooks) await disable(webhook, true);
    for (const webhook of webhooks.slice(0, 4)) for (let n = 0; n < 5; n += 1) await ask(webhook, 'replay');
    const refused = async (webhook: string, from = since) => {
      const path = `${webhookPath(team)}/${webhook}/replay`;
      return (await team.api<{ code: string; limit: number }>('POST', path, { since: from })).body;
    };
    expect(await refused(webhooks[0] as string)).toMatchObject({ code: 'limit_reached', limit: 5 });
    expect(await refused(webhooks[4] as string)).toMatchObject({ code: 'limit_reached', limit: 20 });
    // Events of 2020 are not stored, so this request could never succeed. The error must say so, not name the limit.
    expect(await refused(webhooks[0] as string, '2020-01-01')).toMatchObject({ code: 'events_not_kept' });
  });

  test('for a time before retention are refused with a reason', async () => {
    const path = `${webhookPath(team)}/${await subscribe(team, endpoint)}`;
    for (const how of ['recover', 'replay']) {
      const answer = await team.api<{ code: string }>('POST', `${path}/${how}`, { since: '2020-01-01' });
      expect(answer).toMatchObject({
        status: 400,
        body: {
          code: 'events_not_kept',
          detail: expect.stringMatching(/^Events are kept for \d+ days: `since` should/),
        },
      });
    }
  });

  test.each([
    [{ since: '2026-01-02', until: '2026-01-01' }, 'Value should not be before since'],
    [{ since: new Date(Date.now() + 3_600_000).toISOString() }, 'Value should not be ahead of now'],
    [{}, 'Field required'],
  ])('are refused for %j', async (body, msg) => {
    const webhook = await subscribe(team, endpoint);
    const path = `${webhookPath(team)}/${webhook}`;
    for (const how of ['recover', 'replay']) {
      const { status, body: refusal } = await team.api<{ detail: { msg: string }[] }>('POST', `${path}/${how}`, body);
      expect([status, refusal.detail[0]?.msg]).toEqual([422, expect.stringContaining(msg)]);
    }
  });

  test('are not found by other teams, and are deleted with their endpoint', async () => {
    const webhook = await subscribe(team, endpoint);
    const other = await app.makeTeam();
    await disable(webhook, true);
    const job = await ask(webhook, 'replay');
    const foreign = `${webhookPath(other)}/${webhook}`;
    for (const how of ['recover', 'replay'])
      expect((await other.api('POST', `${foreign}/${how}`, { since })).status).toBe(404);
    expect((await other.api('GET', `${foreign}/replay`)).status).toBe(404);
    expect((await other.api('GET', `${foreign}/replay/${job.id}`)).status).toBe(404);
    expect((await other.api('POST', `${foreign}/replay/${job.id}/cancel`)).status).toBe(404);
    await team.api('DELETE', `${webhookPath(team)}/${webhook}`);
    await app.deliver();
    const { rows } = await sql`select from webhook_replays where team_id = ${team.id}`.execute(app.db);
    expect(rows).toEqual([]);
  });
});
