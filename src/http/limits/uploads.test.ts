// An upload does not have a permit for its entire duration, because it waits for its client. Instead, each of its
// database calls takes a permit.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { lockNumberOf } from '../../db/session/named-lock.ts';
import { createTeamKey } from '../../tenancy/keys/create-team-key.ts';
import { createTeam } from '../../tenancy/teams/create.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({}, { poolSize: 10, poolWaitMs: 30_000 });
});
afterAll(() => app.close());

type Queue = 'uploads' | 'lab reports';

/**
 * Makes seven teams of one new organisation. The returned function sends a small file of each and returns the status.
 */
async function sendersOf(queue: Queue): Promise<{ org_id: string; senders: (() => Promise<number>)[] }> {
  const { org_id } = await app.makeTeam('Loud');
  const senders: (() => Promise<number>)[] = [];
  for (let n = 0; n < 7; n += 1) {
    const { id } = await createTeam(app.ctx, { org_id, name: `Loud ${n}` });
    const { value: key } = await createTeamKey(app.ctx, { team_id: id, label: 'of uploads' });
    const made = await app.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'sender' }, { key });
    senders.push(() => send(queue, key, made.body.user_id));
  }
  return { org_id, senders };
}

async function send(queue: Queue, key: string, userId: string): Promise<number> {
  const form = new FormData();
  form.append('user_id', userId);
  form.append('file', new Blob(['%PDF-1.4 of nothing']), 'report.pdf');
  const [path, body, type] =
    queue === 'lab reports'
      ? ['/lab_report/v1/parser/job', form, {}]
      : [`/v2/user/${userId}/import`, '<gpx></gpx>', { 'content-type': 'application/gpx+xml' }];
  const headers = { 'x-service-api-key': key, ...type };
  return (await fetch(`${app.baseUrl}${path}`, { method: 'POST', headers, body })).status;
}

/** Resolves when more than two transactions wait for an advisory lock and their number does not grow any more. */
async function untilLocksWait(holder: pg.Client): Promise<void> {
  const text = "select count(*)::integer as n from pg_locks where locktype = 'advisory' and not granted";
  let before = 0;
  const isStable = async (): Promise<boolean> => {
    const [last, now] = [before, (await holder.query<{ n: number }>(text)).rows[0]?.n ?? 0];
    before = now;
    return now > 2 && now === last;
  };
  await expect.poll(isStable, { timeout: 10_000, interval: 300 }).toBe(true);
}

test.each<[Queue, number]>([
  ['uploads', 202],
  ['lab reports', 200],
])(
  '%s of seven blocked teams leave connections to another organisation',
  async (queue, status) => {
    const { org_id, senders } = await sendersOf(queue);
    const quiet = await app.makeTeam('Quiet');
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    try {
      // Each upload of an organisation takes this lock to update the totals. As we hold it, all these uploads wait.
      await holder.query('select pg_advisory_lock($1)', [lockNumberOf(`${queue} ${org_id}`)]);
      const uploads = senders.flatMap((upload) => [upload(), upload(), upload()]);
      await untilLocksWait(holder);
      const from = performance.now();
      expect((await quiet.api('POST', '/v2/user', { client_user_id: `beside ${queue}` })).status).toBe(200);
      expect(performance.now() - from).toBeLessThan(3_000);
      await holder.query('select pg_advisory_unlock_all()');
      expect(await Promise.all(uploads)).toEqual(uploads.map(() => status));
    } finally {
      await holder.end();
    }
  },
  60_000,
);
