// Stored values that were damaged, or sealed under a key that nobody has any more.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import { attempted, dueNow, queued } from '../../test/deliveries.ts';
import { steps } from '../../test/events.ts';
import { subscribe, webhookPath } from '../../test/factories.ts';
import { publishTo } from '../../test/publish.ts';
import { startReceiver, type Receiver } from '../../test/receiver.ts';
import { startListeningWorker } from '../../test/worker.ts';
import { newSecret } from './sending/sign.ts';

let app: TestApp;
let receiver: Receiver;
let elsewhere: Receiver;
let team: Team;
let webhook: string;
let another: Team;
const errors: Record<string, unknown>[] = [];
beforeAll(async () => {
  const logTo = (line: string): void => void errors.push(JSON.parse(line) as Record<string, unknown>);
  app = await startTestApp({ PHIAL_LOG_LEVEL: 'error' }, { logTo });
});
afterAll(() => app.close());
beforeEach(async () => {
  errors.length = 0;
  receiver = await startReceiver({ invented: true });
  elsewhere = await startReceiver({ invented: true });
  team = await app.makeTeam();
  webhook = await subscribe(team, receiver);
  another = await app.makeTeam();
  await subscribe(another, elsewhere);
});
afterEach(() => Promise.all([receiver.close(), elsewhere.close()]));

const arrived = (at: Receiver) => at.received.map(({ id }) => id);

/** Flips a bit, or flips it back. */
const flip = (table: string, column: string, where: string, id: string) =>
  sql`
    update ${sql.table(table)} set ${sql.ref(column)} = set_byte(${sql.ref(column)}, 20, get_byte(${sql.ref(column)}, 20) # 1)
     where ${sql.ref(where)} = ${id}`.execute(app.db);

test('an event that cannot be opened fails by itself, and is sent once it can be', async () => {
  const damaged = await publishTo(app, team, steps, {});
  await flip('events', 'body', 'id', damaged);
  const [own, theirs] = [await publishTo(app, team, steps, {}), await publishTo(app, another, steps, {})];
  await app.deliver();
  expect([arrived(receiver), arrived(elsewhere)]).toEqual([[own], [theirs]]);
  expect(await queued(app, webhook)).toMatchObject([{ event_id: damaged, attempt: 1, due: false }]);
  const attempts = await attempted(app, webhook);
  expect(attempts.filter(({ event_id }) => event_id === damaged)).toMatchObject([
    { attempt: 1, outcome: 'failed', error: 'local_error', http_status: null },
  ]);
  expect(errors).toMatchObject([{ message_id: damaged, team_id: team.id }]);
  const shown = await team.api('GET', `${webhookPath(team).replace(/webhook$/, 'event')}/${damaged}`);
  expect(shown).toMatchObject({ status: 200, body: { id: damaged, event_type: steps.name, body: null } });
  await flip('events', 'body', 'id', damaged);
  await dueNow(app, webhook);
  await app.deliver();
  expect(arrived(receiver)).toEqual([own, damaged]);
});

test('an event that cannot be opened is not held against its endpoint', async () => {
  const failingSince = async () =>
    (
      await sql<{ failing_since: string | null; disabled: boolean }>`
      select failing_since, disabled from lanes join webhooks on webhooks.id = webhook_id where webhook_id = ${webhook}`.execute(
        app.db,
      )
    ).rows[0];
  const damaged = await publishTo(app, team, steps, {});
  await flip('events', 'body', 'id', damaged);
  await app.deliver();
  expect(await attempted(app, webhook)).toMatchObject([{ outcome: 'failed', error: 'local_error' }]);
  expect(await failingSince()).toEqual({ failing_since: null, disabled: false });
  await sql`update lanes set failing_since = now() - interval '6 days' where webhook_id = ${webhook}`.execute(app.db);
  await team.api('POST', `${webhookPath(team)}/${webhook}/event/${damaged}/resend`);
  await app.deliver();
  expect((await attempted(app, webhook)).length).toBe(2);
  expect((await failingSince())?.disabled).toBe(false);
});

const forgetSecrets = async (): Promise<() => Promise<unknown>> => {
  const rows = await app.db.deleteFrom('webhook_secrets').where('webhook_id', '=', webhook).returningAll().execute();
  return () => app.db.insertInto('webhook_secrets').values(rows).execute();
};
const damage = async (table: string, column: string, where: string): Promise<() => Promise<unknown>> => {
  await flip(table, column, where, webhook);
  return () => flip(table, column, where, webhook);
};

test.each([
  ['secret', () => damage('webhook_secrets', 'secret', 'webhook_id')],
  ['headers', () => damage('webhooks', 'headers', 'id')],
  ['lost secret', forgetSecrets],
])('what is queued for an endpoint waits while it cannot be opened: %s', async (_, spoil) => {
  await team.api('PUT', `${webhookPath(team)}/${webhook}/headers`, { headers: { 'x-of-the-team': 'of theirs' } });
  const mend = await spoil();
  const [own, theirs] = [await publishTo(app, team, steps, {}), await publishTo(app, another, steps, {})];
  await app.deliver();
  expect([arrived(receiver), arrived(elsewhere)]).toEqual([[], [theirs]]);
  expect(await queued(app, webhook)).toMatchObject([{ event_id: own, attempt: 0 }]);
  expect(errors).toMatchObject([{ endpoint_id: webhook, team_id: team.id }]);
  await mend();
  await app.deliver();
  expect(arrived(receiver)).toEqual([own]);
});

test('a new secret sets going again, at once, what waited for one that cannot be opened', async () => {
  await flip('webhook_secrets', 'secret', 'webhook_id', webhook);
  const { close } = await startListeningWorker(app);
  const own = await publishTo(app, team, steps, {});
  await expect.poll(() => errors, { timeout: 5_000 }).toMatchObject([{ endpoint_id: webhook, team_id: team.id }]);
  const key = newSecret();
  receiver.trust(key);
  expect((await team.api('POST', `${webhookPath(team)}/${webhook}/secret/rotate`, { key })).status).toBe(204);
  await expect.poll(() => arrived(receiver), { timeout: 5_000 }).toEqual([own]);
  await close();
});
