// Deliveries whose stored event or endpoint we cannot decrypt, because it is damaged or its key is lost.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { attempted, dueNow, queued } from '../../test/deliveries.ts';
import { steps } from '../../test/invented-events.ts';
import { subscribe, webhookPath } from '../../test/factories.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';
import { startListeningWorker } from '../../test/worker.ts';
import { newSecret } from './sending/sign.ts';

let app: TestApp;
let endpoint: Endpoint;
let elsewhere: Endpoint;
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
  endpoint = await startEndpoint({ invented: true });
  elsewhere = await startEndpoint({ invented: true });
  team = await app.makeTeam();
  webhook = await subscribe(team, endpoint);
  another = await app.makeTeam();
  await subscribe(another, elsewhere);
});
afterEach(() => Promise.all([endpoint.close(), elsewhere.close()]));

const arrived = (at: Endpoint) => at.received.map(({ id }) => id);

/** Damages a stored value by flipping one bit. A second call repairs the value. */
const flip = (table: string, column: string, where: string, id: string) =>
  sql`
    update ${sql.table(table)} set ${sql.ref(column)} = set_byte(${sql.ref(column)}, 20, get_byte(${sql.ref(column)},
        20) # 1)
     where ${sql.ref(where)} = ${id}`.execute(app.db);

test('an event that cannot be opened fails alone, and is sent once it can be opened', async () => {
  const damaged = await publishTo(app, team, steps, {});
  await flip('events', 'body', 'id', damaged);
  const [own, theirs] = [await publishTo(app, team, steps, {}), await publishTo(app, another, steps, {})];
  await app.deliver();
  expect([arrived(endpoint), arrived(elsewhere)]).toEqual([[own], [theirs]]);
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
  expect(arrived(endpoint)).toEqual([own, damaged]);
});

test('an event that cannot be opened does not count as a failure of its endpoint', async () => {
  const failingSince = async () =>
    (
      await sql<{ failing_since: string | null; disabled: boolean }>`
      select failing_since, disabled from endpoint_queues join webhooks on webhooks.id = webhook_id
          where webhook_id = ${webhook}`.execute(app.db)
    ).rows[0];
  const damaged = await publishTo(app, team, steps, {});
  await flip('events', 'body', 'id', damaged);
  await app.deliver();
  expect(await attempted(app, webhook)).toMatchObject([{ outcome: 'failed', error: 'local_error' }]);
  expect(await failingSince()).toEqual({ failing_since: null, disabled: false });
  await sql`update endpoint_queues set failing_since = now() - interval '6 days' where webhook_id = ${webhook}`.execute(
    app.db,
  );
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
])('deliveries wait while their endpoint cannot be opened: %s', async (_, spoil) => {
  await team.api('PUT', `${webhookPath(team)}/${webhook}/headers`, { headers: { 'x-of-the-team': 'of theirs' } });
  const mend = await spoil();
  const [own, theirs] = [await publishTo(app, team, steps, {}), await publishTo(app, another, steps, {})];
  await app.deliver();
  expect([arrived(endpoint), arrived(elsewhere)]).toEqual([[], [theirs]]);
  expect(await queued(app, webhook)).toMatchObject([{ event_id: own, attempt: 0 }]);
  expect(errors).toMatchObject([{ endpoint_id: webhook, team_id: team.id }]);
  await mend();
  await app.deliver();
  expect(arrived(endpoint)).toEqual([own]);
});

test('a new secret starts at once the deliveries of an endpoint that could not be opened', async () => {
  await flip('webhook_secrets', 'secret', 'webhook_id', webhook);
  const { close } = await startListeningWorker(app);
  const own = await publishTo(app, team, steps, {});
  await expect.poll(() => errors, { timeout: 5_000 }).toMatchObject([{ endpoint_id: webhook, team_id: team.id }]);
  const key = newSecret();
  endpoint.trust(key);
  expect((await team.api('POST', `${webhookPath(team)}/${webhook}/secret/rotate`, { key })).status).toBe(204);
  await expect.poll(() => arrived(endpoint), { timeout: 5_000 }).toEqual([own]);
  await close();
});
