import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { startBroker, type Broker } from '../../../../test/broker.ts';
import { steps } from '../../../../test/invented-events.ts';
import { etlPath, etlPipeline } from '../../../../test/pipelines.ts';
import { publishTo } from '../../../../test/publish-event.ts';
import { createTeam } from '../../../tenancy/teams/create.ts';
import { PAGE, PagePermits } from './page-permits.ts';
import { startStreaming, type Streaming } from './start-streaming.ts';

let app: TestApp;
let silent: Broker;
let broker: Broker;
let streaming: Streaming | undefined;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_LOG_LEVEL: 'error' });
});
afterAll(() => app.close());
beforeEach(async () => {
  [silent, broker] = [await startBroker(), await startBroker()];
  silent.behave('silent');
});
afterEach(async () => {
  // Closed first, so that pending confirms fail and the stop does not wait for them.
  await silent.close();
  await streaming?.stop(10_000);
  await broker.close();
  await sql`delete from etl_pipelines`.execute(app.db);
});

/** Makes teams of a new organisation, each with a pipeline and events of these lengths. */
async function teamsOf(to: Broker, events: number[], teams: number): Promise<Team> {
  const owner = await app.makeTeam();
  const others = await Promise.all(
    Array.from({ length: teams - 1 }, () => createTeam(app.ctx, { org_id: owner.org_id, name: 'More' })),
  );
  const ids = [owner.id, ...others.map(({ id }) => id)];
  await owner.api('POST', etlPath(owner), etlPipeline(ids, to.uri));
  for (const id of ids) for (const length of events) await publishTo(app, { id }, steps, { s: '用'.repeat(length) });
  return owner;
}
const bodies = (of: Broker): string[] => of.received.map(({ body }) => body);
const leasedOf = async ({ org_id }: Team): Promise<number> =>
  (await sql`select from etl_pipelines where org_id = ${org_id} and lease_id is not null`.execute(app.db)).rows.length;

test('an organisation whose broker confirms nothing keeps its share of pages, and another goes on', async () => {
  const event = 60_000;
  await teamsOf(silent, [event, event, event, event], 6);
  streaming = startStreaming(app.ctx, undefined, { pages: new PagePermits(8), pollMs: 50 });
  await silent.receives(4);
  const owner = await teamsOf(broker, [event, event, event, event], 2);
  await broker.receives(8);
  // Two pages of eight, each with the events that fit into a page.
  const perPage = Math.floor(PAGE.bytes / (3 * event));
  expect(silent.received).toHaveLength(2 * perPage);
  const bytes = bodies(silent).reduce((sum, each) => sum + Buffer.byteLength(each), 0);
  expect(bytes).toBeLessThan(2 * PAGE.bytes);
  await vi.waitFor(async () => expect(await leasedOf(owner)).toBe(2), 10_000);
});

test('pipelines of one organisation wait for each other, and all of them are streamed', async () => {
  await teamsOf(broker, [1, 2, 3], 8);
  streaming = startStreaming(app.ctx, undefined, { pages: new PagePermits(1), pollMs: 50 });
  await broker.receives(24);
  expect(new Set(bodies(broker)).size).toBe(24);
});

test('an organisation with many pipelines gets a quarter of the permits, and another gets one', async () => {
  const loud = await teamsOf(silent, [1], 12);
  streaming = startStreaming(app.ctx, undefined, { most: 16, pollMs: 50 });
  await silent.receives(4);
  const quiet = await teamsOf(broker, [1], 1);
  await broker.receives(1);
  expect([await leasedOf(loud), await leasedOf(quiet)]).toEqual([4, 1]);
});

test('a pipeline at the end of its events gives its permit to one that waits', async () => {
  await teamsOf(broker, [1], 8);
  streaming = startStreaming(app.ctx, undefined, { most: 16, pollMs: 50 });
  await broker.receives(8);
  expect(new Set(bodies(broker)).size).toBe(8);
});
