// Measures the rate and processor time of three requests: create an order with its two events, read an order, and
// create a user. Compares the last two with statements by bare pg.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { cpuTime } from './cpu-time.ts';
import type { MeasuredProgram } from './measured-program.ts';
import { withProgram } from './with-program.ts';
import type { Done, Work } from './orders-worker.ts';
import { judge } from './judge.ts';

const CONNECTIONS = { bare: 10, http: 24 };
/** Until V8 has compiled the hot code, requests cost twice as much. A real service runs for days. */
const WARM_UP_MS = 10_000;
const MEASURE_MS = 5_000;
const USERS = 200;

const GOALS = { orderRate: 800, orderCpuMs: 1.5, readRatio: 0.25, readCpuMs: 0.5, userRatio: 0.4 };

type Measured = { rate: number; nodeMs: number; postgresMs: number };

/** Returns true if every goal is reached. */
export const benchOrders = (): Promise<boolean> => withProgram({}, compare);

async function compare(program: MeasuredProgram, databaseUrl: string): Promise<boolean> {
  const common = await prepare(program);
  const measure = async (kind: Work['kind']): Promise<Measured> => {
    const bare = kind.startsWith('bare');
    const work = {
      ...common,
      kind,
      url: bare ? databaseUrl : program.baseUrl,
      connections: bare ? CONNECTIONS.bare : CONNECTIONS.http,
    };
    await inProcess({ ...work, measureMs: WARM_UP_MS });
    const before = await cpuTime(program.pid, databaseUrl);
    const { made, seconds } = await inProcess({ ...work, measureMs: MEASURE_MS });
    const after = await cpuTime(program.pid, databaseUrl);
    const measured = {
      rate: made / seconds,
      nodeMs: before && after ? (after.node - before.node) / made : NaN,
      postgresMs: before && after ? (after.postgres - before.postgres) / made : NaN,
    };
    console.log(
      `${kind}: ${measured.rate.toFixed(0)}/s` +
        (bare
          ? ''
          : `; ms of processor time each: node ${measured.nodeMs.toFixed(2)}, PostgreSQL ` +
            `${measured.postgresMs.toFixed(2)}`),
    );
    return measured;
  };
  const order = await measure('create order');
  const read = await measure('read order');
  const bareSelect = await measure('bare select');
  const user = await measure('create user');
  const bareUser = await measure('bare user');
  return [
    judge('orders a second', order.rate, 'at least', GOALS.orderRate),
    judge('ms of processor time an order', order.nodeMs + order.postgresMs, 'at most', GOALS.orderCpuMs),
    judge('reads, of bare selects', read.rate / bareSelect.rate, 'at least', GOALS.readRatio),
    judge('ms of processor time a read', read.nodeMs + read.postgresMs, 'at most', GOALS.readCpuMs),
    judge('users, of bare inserts', user.rate / bareUser.rate, 'at least', GOALS.userRatio),
  ].every(Boolean);
}

/** Makes users and an order, and finds a lab test, for the measured requests. */
async function prepare(program: MeasuredProgram): Promise<Omit<Work, 'kind' | 'url' | 'connections' | 'measureMs'>> {
  const { team_id: teamId, team_api_key: teamApiKey } = program.credentials();
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(program.baseUrl + path, {
      method,
      headers: { 'x-service-api-key': teamApiKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as T;
  };
  const userIds: string[] = [];
  for (let n = 0; n < USERS; n += 1) {
    const { user_id } = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: `bench ${n}` });
    userIds.push(user_id);
  }
  const { data } = await call<{ data: { id: string }[] }>('GET', '/v3/lab_test?collection_method=testkit');
  const labTestId = data[0]?.id ?? '';
  const shipping_details = {
    receiver_name: 'Grace Palmer',
    first_line: '100 West Test Street',
    city: 'Phoenix',
    state: 'AZ',
    zip: '85004',
    country: 'US',
    phone_number: '+16025550123',
  };
  const { order } = await call<{ order: { id: string } }>('POST', '/v3/order/testkit', {
    user_id: userIds[0],
    lab_test_id: labTestId,
    shipping_details,
  });
  return { teamId, teamApiKey, userIds, labTestId, orderId: order.id };
}

/** Runs the client in a separate process, so that its processor time does not count as that of the service. */
function inProcess(work: Work): Promise<Done> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'orders-worker.js'));
    child.once('message', (done) => resolve(done as Done));
    child.once('exit', (code) => reject(new Error(`The client process ended with ${code}.`)));
    child.send(work);
  });
}
