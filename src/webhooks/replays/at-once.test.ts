// What is asked for at the same moment as something else that bears on it.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/app.ts';
import { atOnce } from '../../../test/at-once.ts';
import { subscribe, webhookPath } from '../../../test/factories.ts';
import { startReceiver, type Receiver } from '../../../test/receiver.ts';
import type { TeamCtx } from '../../context.ts';
import { boundToTeam } from '../../db/session/bind.ts';
import type { Tx } from '../../db/open.ts';
import { deleteWebhook } from '../receivers/delete.ts';
import { askForReplay } from './ask.ts';

const MOST_OF_ENDPOINT = 5;

let app: TestApp;
let receiver: Receiver;
let team: Team;
let webhook: string;
beforeAll(async () => {
  app = await startTestApp();
  receiver = await startReceiver();
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
  webhook = await subscribe(team, receiver);
});

const since = new Date(Date.now() - 60_000).toISOString();
const ask = () => team.api<object>('POST', `${webhookPath(team)}/${webhook}/replay`, { since });
const as = (db: Tx): TeamCtx => ({ ...app.ctx, db, team: { ...team, settings: {} } });
const teamDb = () => boundToTeam(app.ctx, team.id).db;

test('of two who ask for the last replay that an endpoint may have the second is refused', async () => {
  for (let n = 1; n < MOST_OF_ENDPOINT; n += 1) expect((await ask()).status).toBe(200);
  const second = await atOnce(teamDb(), (tx) => askForReplay(as(tx), webhook, 'replay', { since }), ask);
  expect(second).toMatchObject({ status: 403, body: { code: 'limit_reached', limit: MOST_OF_ENDPOINT } });
});

test('who asks for a replay while the endpoint is deleted finds no endpoint', async () => {
  const asked = await atOnce(teamDb(), (tx) => deleteWebhook(as(tx), webhook), ask);
  expect(asked).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
