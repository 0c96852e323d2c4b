import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { overlapTransactions } from '../../test/overlap-transactions.ts';
import { invitePath } from '../../test/people-of-orgs.ts';
import { newId } from '../ids.ts';
import { writeMail } from './write-mail.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('when two callers write the last mail of the day at the same time, the second is refused', async () => {
  const { org_id } = app.team;
  await sql`
    insert into mails (id, org_id, about, expires_at)
    select gen_random_uuid(), ${org_id}, gen_random_uuid(), now() from generate_series(1, 499)`.execute(app.db);
  const second = await overlapTransactions(
    app.db,
    (db) =>
      writeMail(
        { ...app.ctx, db },
        {
          org_id,
          about: newId(),
          expires: Date.now() / 1000 + 60,
          letter: { to: 'grace@example.com', subject: 'One', text: 'of the day' },
        },
      ),
    () => app.api<object>('POST', invitePath(app.team), { email: 'ada@example.com' }),
  );
  expect(second).toMatchObject({ status: 403, body: { code: 'limit_reached', limit: 500 } });
});
