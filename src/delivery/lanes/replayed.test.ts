// A delivery of a replay has no row until its outcome is written: what an erasure does meanwhile is seen by a lock alone.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { atOnce } from '../../../test/at-once.ts';
import { queued } from '../../../test/deliveries.ts';
import { steps } from '../../../test/events.ts';
import { makeUser, subscribe } from '../../../test/factories.ts';
import { publishTo } from '../../../test/publish.ts';
import { startReceiver } from '../../../test/receiver.ts';
import type { TeamCtx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import type { Db, Tx } from '../../db/open.ts';
import { eraseSomeEvents } from '../erase.ts';
import { queueReplayed, type Replayed } from './replayed.ts';

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
  const receiver = await startReceiver();
  const webhook_id = await subscribe(team, receiver);
  await receiver.close();
  const { rows } = await sql<{ fence: number }>`select fence from lanes where webhook_id = ${webhook_id}`.execute(db);
  replayed = { webhook_id, event_id, team_id: team.id, fence: rows[0]?.fence as number, attempt: 1 };
});

const erase = (tx: Tx) => {
  const team = { id: replayed.team_id, org_id: '', settings: {} } satisfies TeamCtx['team'];
  return eraseSomeEvents({ ...app.ctx, db: tx, team }, user);
};
const queue = () => db.transaction().execute((tx) => queueReplayed(tx, [replayed]));

test('what is to be written while its event is being erased is put off, and then nothing is written of it', async () => {
  await db.transaction().execute(async (tx) => {
    await erase(tx);
    expect(await queue()).toEqual([replayed]);
  });
  expect(await queue()).toEqual([]);
  expect(await queued(app, replayed.webhook_id)).toEqual([]);
});

test('an erasure waits for what is being written, and takes it along', async () => {
  await atOnce(
    db,
    (tx) => queueReplayed(tx, [replayed]),
    () => db.transaction().execute(erase),
  );
  expect(await queued(app, replayed.webhook_id)).toEqual([]);
});
