import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import type { Team, TestApp } from '../../test/test-app.ts';
import { attempted, dueNow, queued } from '../../test/deliveries.ts';
import { steps } from '../../test/invented-events.ts';
import { makeUser, subscribe } from '../../test/factories.ts';
import { publishTo } from '../../test/publish-event.ts';
import type { Endpoint } from '../../test/endpoint.ts';
import { eachWithEndpoint } from '../../test/subscribed.ts';
import { teamCtx } from '../../test/team-ctx.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { inTransaction } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import { MAX_ATTEMPTS, requeueDelivery } from './requeue.ts';

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
let webhook: string;
eachWithEndpoint((each) => ({ app, team, endpoint, webhook } = each));

const fails = () => endpoint.answer((response) => response.writeHead(500).end());
const publish = (user: { id: string; client_user_id: string } | null = null) => publishTo(app, team, steps, {}, user);
const requeue = async (event_id: string, webhook_id = webhook): Promise<boolean> =>
  inTransaction(await teamCtx(app.ctx, team.id), (ctx) => requeueDelivery(ctx, { webhook_id, event_id }, 'resend'));
const numbers = async () =>
  (await attempted(app, webhook)).map(({ attempt, outcome, trigger }) => [attempt, outcome, trigger]);
const rows = async () => (await queued(app, webhook)).map(({ event_id, attempt, due }) => ({ event_id, attempt, due }));
/** Makes a delivery whose last attempt failed. It skips the attempts between the first and the last one. */
const exhaust = async (): Promise<string> => {
  fails();
  const event_id = await publish();
  await app.deliver();
  await sql`update retries set attempt = 7 where webhook_id = ${webhook}`.execute(app.db);
  await dueNow(app, webhook);
  await app.deliver();
  expect(await rows()).toEqual([]);
  return event_id;
};

describe('a delivery that is queued again', () => {
  test('takes the place of the retry that waits, and when it fails the schedule continues', async () => {
    fails();
    const event_id = await publish();
    await app.deliver();
    expect(await rows()).toEqual([{ event_id, attempt: 1, due: false }]);
    expect(await requeue(event_id)).toBe(true);
    expect(await rows()).toEqual([{ event_id, attempt: 1, due: true }]);
    await app.deliver();
    expect(await numbers()).toEqual([
      [1, 'failed', null],
      [2, 'failed', 'resend'],
    ]);
    expect(await rows()).toEqual([{ event_id, attempt: 2, due: false }]);
  });

  test('counts on from its last attempt, and is tried once', async () => {
    const event_id = await exhaust();
    await requeue(event_id);
    await app.deliver();
    expect([(await numbers()).at(-1), await rows()]).toEqual([[9, 'exhausted', 'resend'], []]);
    endpoint.answer(null);
    await requeue(event_id);
    await app.deliver();
    expect([(await numbers()).at(-1), await rows()]).toEqual([[10, 'succeeded', 'resend'], []]);
  });

  test('is tried once when it had succeeded', async () => {
    const event_id = await publish();
    await app.deliver();
    fails();
    await requeue(event_id);
    await app.deliver();
    expect([(await numbers()).at(-1), await rows()]).toEqual([[2, 'exhausted', 'resend'], []]);
  });

  test('is the first attempt when that one waits', async () => {
    const event_id = await publish();
    expect(await requeue(event_id)).toBe(true);
    expect(await rows()).toEqual([{ event_id, attempt: 0, due: true }]);
    await app.deliver();
    expect(await numbers()).toEqual([[1, 'succeeded', 'resend']]);
  });

  test('counts the attempt whose outcome is being written', async () => {
    fails();
    const event_id = await publish();
    await app.deliver();
    const worker = new Client({ connectionString: app.databaseUrl });
    await worker.connect();
    await worker.query('begin');
    await worker.query('delete from retries where webhook_id = $1', [webhook]);
    await worker.query(
      `insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, duration_ms)
       values ($1, $2, $3, $4, 2, 'succeeded', 1)`,
      [team.id, newId(), webhook, event_id],
    );
    const asked = requeue(event_id);
    await untilBlocked(app.db);
    await worker.query('commit');
    await worker.end();
    await asked;
    expect(await rows()).toEqual([{ event_id, attempt: 2, due: true }]);
  });

  test('may be an event from before the endpoint was made', async () => {
    const event_id = await publish();
    await app.deliver();
    const late = await subscribe(team, endpoint);
    await requeue(event_id, late);
    await app.deliver();
    expect((await attempted(app, late)).map(({ attempt, outcome }) => [attempt, outcome])).toEqual([[1, 'succeeded']]);
  });
});

describe('nothing is queued again', () => {
  test('of deleted events, of another team, or of a user who is scheduled for deletion', async () => {
    const { user_id, client_user_id } = await makeUser(team);
    const [leaving, erased, fine] = [await publish({ id: user_id, client_user_id }), await publish(), await publish()];
    await app.deliver();
    await app.db.deleteFrom('events').where('id', '=', erased).execute();
    await team.api('DELETE', `/v2/user/${user_id}`);
    const other = await app.makeTeam();
    const theirs = await publishTo(app, other, steps, {});
    const theirWebhook = await subscribe(other, endpoint);
    for (const event_id of [leaving, erased, theirs, newId()]) expect(await requeue(event_id)).toBe(false);
    expect(await requeue(fine, theirWebhook)).toBe(false);
    expect([await requeue(fine), (await rows()).map(({ event_id }) => event_id)]).toEqual([true, [fine]]);
  });

  test('that was attempted the largest number of times', async () => {
    const event_id = await publish();
    await app.deliver();
    await sql`update attempts set attempt = ${MAX_ATTEMPTS} where event_id = ${event_id}`.execute(app.db);
    expect([await requeue(event_id), await rows()]).toEqual([false, []]);
  });
});
