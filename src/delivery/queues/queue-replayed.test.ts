// A delivery of a webhook replay has no row until we write its outcome. So a concurrent erasure cannot find the
// delivery, and only an advisory lock keeps the two apart.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { overlapTransactions } from '../../../test/overlap-transactions.ts';
import { queued } from '../../../test/deliveries.ts';
import { steps } from '../../../test/invented-events.ts';
import { makeUser, subscribe } from '../../../test/factories.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { startEndpoint } from '../../../test/endpoint.ts';
import type { TeamCtx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import type { Db, Tx } from '../../db/open-database.ts';
import { eraseSomeEvents } from '../erase.ts';
import { queueReplayed, type Replayed } from './queue-replayed.ts';

let app: TestApp;
let db: Db;
let user: { id: string };
let replayed: Replayed;
beforeAll(async () => {
  app = await startTestApp();
  ({ db } = acrossTeams(app.ctx));
});
afterAll(() => app.close());
beforeEach(async () => {
  const team = await app.makeTeam();
  const { user_id, client_user_id } = await makeUser(team);
  user = { id: user_id };
  const event_id = await publishTo(app, team, steps, {}, { id: user_id, client_user_id });
  const endpoint = await startEndpoint();
  const webhook_id = await subscribe(team, endpoint);
  await endpoint.close();
  const { rows } = await sql<{
    fence: number;
  }>`select fence from endpoint_queues where webhook_id = ${webhook_id}`.execute(db);
  replayed = { webhook_id, event_id, team_id: team.id, fence: rows[0]?.fence as number, attempt: 1 };
});

const erase = (tx: Tx) => {
  const team = { id: replayed.team_id, org_id: '', settings: {} } satisfies TeamCtx['team'];
  return eraseSomeEvents({ ...app.ctx, db: tx, team }, user);
};
const queue = () => db.transaction().execute((tx) => queueReplayed(tx, [replayed]));

test('an outcome during the erasure of its event is delayed, and then not written', async () => {
  await db.transaction().execute(async (tx) => {
    await erase(tx);
    expect(await queue()).toEqual([replayed]);
  });
  expect(await queue()).toEqual([]);
  expect(await queued(app, replayed.webhook_id)).toEqual([]);
});

test('an erasure waits for an outcome that is being written, and erases it too', async () => {
  await overlapTransactions(
    db,
    (tx) => queueReplayed(tx, [replayed]),
    () => db.transaction().execute(erase),
  );
  expect(await queued(app, replayed.webhook_id)).toEqual([]);
});
