import { randomUUID } from 'node:crypto';
import { shipping, type Call } from './order-traffic.ts';

const CONSENTS = ['terms-of-use', 'telehealth-informed-consent', 'notice-of-privacy-practices'];

/** Orders and registers a kit, so that its requisition can be printed. Returns the id of the order. */
export async function kitToPrint(call: Call): Promise<string> {
  const { user_id } = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: randomUUID() });
  const tests = await call<{ data: { id: string }[] }>(
    'GET',
    '/v3/lab_test?collection_method=testkit&lab_test_limit=1',
  );
  const body = { user_id, lab_test_id: tests.data[0]?.id, shipping_details: shipping };
  const { order } = await call<{ order: { id: string } }>('POST', '/v3/order/testkit', body);
  await call('POST', '/v3/order/testkit/register', {
    user_id,
    sample_id: `BENCH-${randomUUID().slice(0, 8)}`,
    patient_details: {
      first_name: 'Grace',
      last_name: 'Palmer',
      dob: '1988-04-12',
      gender: 'female',
      phone_number: '+16025550123',
      email: 'grace@example.com',
    },
    patient_address: shipping,
    consents: CONSENTS.map((consentType) => ({ consentType })),
    physician: { first_name: 'Ana', last_name: 'Ruiz', npi: '1234567893' },
  });
  return order.id;
}
