// New orders with any method, for a known patient.
import { changeOrder } from '../src/labs/orders/change-order.ts';
import { insertOrder } from '../src/labs/orders/create/insert-order.ts';
import type { CollectionMethod, LowLevelStatus } from '../src/labs/orders/status/statuses.ts';
import type { Team, TestApp } from './test-app.ts';
import { makeUser, patientDetails } from './factories.ts';

export async function placeOrder(
  app: TestApp,
  team: Team,
  method: CollectionMethod,
  statuses: LowLevelStatus[] = ['ordered'],
): Promise<string> {
  const { user_id } = await makeUser(team);
  const { id } = await app.db
    .selectFrom('lab_tests')
    .select('id')
    .where('team_id', '=', team.id)
    .where('method', '=', method)
    .executeTakeFirstOrThrow();
  const patient = {
    ...patientDetails,
    medical_proxy: null,
    race: null,
    ethnicity: null,
    sexual_orientation: null,
    gender_identity: null,
  };
  return app.db.transaction().execute(async (db) => {
    const ctx = { ...app.ctx, db, team: { id: team.id, org_id: team.org_id, settings: {} } };
    const order = await insertOrder(ctx, {
      user_id,
      lab_test_id: id,
      method,
      shipping_details: null,
      statuses,
    });
    await changeOrder(ctx, order, { patient_details: patient });
    return order.row.id;
  });
}
