import type { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { labTestId, makeUser, readOrder } from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { teamCtx } from '../../../../test/team-ctx.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { insertOrder } from './insert-order.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Orders an inactive lab test. Runs `meanwhile` after the statement that inserts the order has inserted nothing. */
async function orderWhile(meanwhile: (labTestId: string) => Promise<unknown>): Promise<string> {
  const { user_id } = await makeUser(app.team);
  const lab_test_id = await labTestId(app.team, 'testkit');
  await query(app.databaseUrl, `update lab_tests set status = 'inactive' where id = '${lab_test_id}'`);
  const made = await inTransaction(await teamCtx(app.ctx, app.team.id), async (tx) => {
    const db = new Proxy(tx.db, {
      get: (target, name) => {
        const part = Reflect.get(target, name, target) as unknown;
        if (name !== 'executeQuery') return typeof part === 'function' ? (part.bind(target) as unknown) : part;
        return async (asked: CompiledQuery) => {
          const found = await target.executeQuery(asked);
          if (asked.sql.includes('insert into orders') && found.rows.length === 0) await meanwhile(lab_test_id);
          return found;
        };
      },
    });
    return insertOrder({ ...tx, db }, { user_id, lab_test_id, method: 'testkit', statuses: ['ordered'], sentTo: 'AZ' });
  });
  return made.row.id;
}

const activate = (id: string) =>
  query(app.databaseUrl, `update lab_tests set status = 'active', approved_at = now() where id = '${id}'`);

test('an order is created if its lab test is approved between two statements', async () => {
  const id = await orderWhile(activate);
  expect((await readOrder(app.team, id)).id).toBe(id);
});

test('an order is refused if its lab test stays unapproved', async () => {
  await expect(orderWhile(async () => undefined)).rejects.toMatchObject({ code: 'lab_test_not_orderable' });
});
