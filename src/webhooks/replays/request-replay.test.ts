// Requests for webhook replays, at the same time as other requests for replays or a deletion of the endpoint.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { overlapTransactions } from '../../../test/overlap-transactions.ts';
import { subscribe, webhookPath } from '../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import type { TeamCtx } from '../../context.ts';
import { boundToTeam } from '../../db/session/bind.ts';
import type { Tx } from '../../db/open-database.ts';
import { deleteWebhook } from '../endpoints/delete.ts';
import { requestReplay } from './request-replay.ts';

const MAX_OF_ENDPOINT = 5;

let app: TestApp;
let endpoint: Endpoint;
let team: Team;
let webhook: string;
beforeAll(async () => {
  app = await startTestApp();
  endpoint = await startEndpoint();
});
afterAll(async () => {
  await app.close();
  await endpoint.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
  webhook = await subscribe(team, endpoint);
});

const since = new Date(Date.now() - 60_000).toISOString();
const ask = () => team.api<object>('POST', `${webhookPath(team)}/${webhook}/replay`, { since });
const as = (db: Tx): TeamCtx => ({ ...app.ctx, db, team: { ...team, settings: {} } });
const teamDb = () => boundToTeam(app.ctx, team.id).db;

test('of two concurrent requests for the last replay of an endpoint the second is refused', async () => {
  for (let n = 1; n < MAX_OF_ENDPOINT; n += 1) expect((await ask()).status).toBe(200);
  const second = await overlapTransactions(teamDb(), (tx) => requestReplay(as(tx), webhook, 'replay', { since }), ask);
  expect(second).toMatchObject({ status: 403, body: { code: 'limit_reached', limit: MAX_OF_ENDPOINT } });
});

test('a request for a replay during the deletion of its endpoint finds no endpoint', async () => {
  const asked = await overlapTransactions(teamDb(), (tx) => deleteWebhook(as(tx), webhook), ask);
  expect(asked).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
