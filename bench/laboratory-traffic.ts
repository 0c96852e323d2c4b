// Clients that order at a connected laboratory, cancel some of their orders, and read the results of the others.
import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import type { Laboratory } from './mllp-laboratory.ts';
import { Refused, type Call } from './order-traffic.ts';

const AFTER_FAILURE_MS = 25;
const CANCELS_EVERY = 4;
const DONE_WITHIN_MS = 180_000;

/** `orders` are the confirmed orders by user, one order each. `cancelled` has the users whose order was cancelled. */
export type LaboratoryLedger = { orders: Map<string, string>; cancelled: Set<string>; wrong: string[] };

/** Connects the laboratory by the operator's command, while the program runs. Returns the lab test to order. */
export async function connectLaboratory(
  call: Call,
  { folder, port, env }: { folder: string; port: number; env: Record<string, string> },
): Promise<string> {
  const file = join(folder, 'laboratory.json');
  writeFileSync(file, JSON.stringify(connection(port)));
  await promisify(execFile)(process.execPath, [join(PACKAGE_ROOT, 'bin/phial.mjs'), 'lab', 'connect', '--file', file], {
    env: { ...process.env, ...env },
  });
  const { id } = await call<{ id: string }>('POST', '/v3/lab_tests', {
    name: 'Glucose',
    description: 'Sugar.',
    method: 'walk_in_test',
    lab_slug: 'bench-lab',
    provider_ids: ['GLU'],
  });
  return id;
}

const connection = (port: number): object => ({
  laboratory: {
    slug: 'bench-lab',
    name: 'Bench Laboratory',
    first_line_address: '200 East Test Street',
    city: 'Phoenix',
    state: 'AZ',
    zipcode: '85004',
    collection_methods: ['walk_in_test'],
    sample_types: ['serum'],
  },
  markers: [
    {
      provider_id: 'GLU',
      slug: 'bench-glucose',
      name: 'Glucose',
      type: 'biomarker',
      price: '9.00',
      analytes: [{ code: 'GLU', slug: 'bench-glucose', name: 'Glucose', unit: 'mg/dL' }],
    },
  ],
  hl7: {
    time_zone: 'America/Phoenix',
    application: 'LAB',
    facility: 'LABFAC',
    account_number: 'BENCH',
    orders: { mllp: { host: '127.0.0.1', port, networks: ['127.0.0.1/32'], answer_seconds: 2 } },
    results: { networks: ['127.0.0.1/32'] },
  },
});

/** Each client sends one request after the other, until it is stopped. */
export function startLaboratoryTraffic(
  call: Call,
  { clients, labTestId }: { clients: number; labTestId: string },
): { ledger: LaboratoryLedger; stop: () => Promise<void> } {
  const ledger: LaboratoryLedger = { orders: new Map(), cancelled: new Set(), wrong: [] };
  let stopping = false;
  const client = async (): Promise<void> => {
    for (let round = 0; !stopping; round += 1) {
      try {
        await orderOnce(call, ledger, { labTestId, cancels: round % CANCELS_EVERY === 0 });
      } catch (error) {
        // After a kill of PostgreSQL, node responds with 5xx until it ends. A cancellation may come after the result.
        const isExpected = !(error instanceof Refused) || / answered 5\d\d:|order_not_cancellable/.test(error.message);
        if (!isExpected) ledger.wrong.push((error as Error).message);
        await wait(AFTER_FAILURE_MS);
      }
    }
  };
  const all = Array.from({ length: clients }, client);
  return {
    ledger,
    stop: async () => {
      stopping = true;
      await Promise.all(all);
    },
  };
}

async function orderOnce(
  call: Call,
  ledger: LaboratoryLedger,
  { labTestId, cancels }: { labTestId: string; cancels: boolean },
): Promise<void> {
  const { user_id } = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: randomUUID() });
  const { order } = await call<{ order: { id: string } }>('POST', '/v3/order', {
    user_id,
    order_set: { lab_test_ids: [labTestId] },
    patient_details: patient,
    patient_address: address,
    physician: { first_name: 'Ana', last_name: 'Ruiz', npi: '1234567893' },
  });
  ledger.orders.set(user_id, order.id);
  if (!cancels) return;
  await call('POST', `/v3/order/${order.id}/cancel`);
  ledger.cancelled.add(user_id);
}

const patient = {
  first_name: 'Grace',
  last_name: 'Palmer',
  dob: '1988-04-12',
  gender: 'female',
  phone_number: '+16025550123',
  email: 'grace@example.com',
};
const address = {
  receiver_name: 'Grace Palmer',
  first_line: '100 West Test Street',
  city: 'Phoenix',
  state: 'AZ',
  zip: '85004',
  country: 'US',
};

export type LaboratoryVerdict = { neverSent: string[]; sentTwice: string[]; notCancelled: string[]; lost: string[] };

/** Waits until the laboratory has received everything and every result is with its order, or for 3 minutes. */
export async function judgeLaboratory(
  call: Call,
  ledger: LaboratoryLedger,
  laboratory: Laboratory,
): Promise<LaboratoryVerdict> {
  const wanted = [...ledger.orders.keys()].filter((user) => !ledger.cancelled.has(user));
  const find = async (): Promise<LaboratoryVerdict> => ({
    neverSent: wanted.filter((user) => !laboratory.ordered.has(user)),
    sentTwice: [laboratory.ordered, laboratory.cancelled].flatMap((sent) =>
      [...sent].filter(([, ids]) => ids.size > 1).map(([user]) => user),
    ),
    notCancelled: [...ledger.cancelled].filter(
      (user) => laboratory.ordered.has(user) && !laboratory.cancelled.has(user),
    ),
    lost: wanted.filter((user) => !laboratory.acknowledged.has(user)),
  });
  const isDone = ({ neverSent, notCancelled, lost }: LaboratoryVerdict): boolean =>
    neverSent.length + notCancelled.length + lost.length === 0;
  let found = await find();
  for (const until = Date.now() + DONE_WITHIN_MS; !isDone(found) && Date.now() < until; found = await find())
    await wait(500);
  for (const user of wanted) {
    if (found.lost.includes(user)) continue;
    const value = laboratory.acknowledged.get(user);
    const results = await call<{ results: { result: string }[] }>('GET', `/v3/order/${ledger.orders.get(user)}/result`)
      .then((response) => response.results.map(({ result }) => result))
      .catch(() => []);
    if (results.length !== 1 || results[0] !== value) found.lost.push(user);
  }
  return found;
}
