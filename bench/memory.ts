// Measures the memory of the Node process after 10,000 requests of every kind, while webhooks are delivered.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describeMachine } from './describe-machine.ts';
import { insuranceRequest } from './insurance-request.ts';
import { makeFolder, removeFolder, startMeasured, type MeasuredProgram } from './measured-program.ts';
import { callerOf, type Call } from './order-traffic.ts';
import { judge } from './judge.ts';

const GOAL_MB = 200;
const REQUESTS = 10_000;
const REQUESTS_A_ROUND = 10;
const CLIENTS = 8;
const STEADY_AFTER_MS = 2_000;

const shipping = {
  receiver_name: 'Grace Palmer',
  first_line: '100 West Test Street',
  city: 'Phoenix',
  state: 'AZ',
  zip: '85004',
  country: 'US',
  phone_number: '+16025550123',
};

/** Returns true if the goal is reached. */
export async function benchMemory(): Promise<boolean> {
  console.log(describeMachine());
  const folder = makeFolder();
  const sink = await startSink();
  const program = await startMeasured(folder, [process.execPath, '--max-old-space-size=512', 'bin/start.mjs']);
  try {
    const before = residentMegabytes(program.pid);
    await load(program, sink.url);
    await wait(STEADY_AFTER_MS);
    const after = residentMegabytes(program.pid);
    console.log(`${before} MB after the start, ${after} MB after ${REQUESTS} requests and ${sink.received()} webhooks`);
    return judge('MB after the requests', after, 'at most', GOAL_MB) && sink.received() > 0;
  } finally {
    await program.stop();
    sink.close();
    removeFolder(folder);
  }
}

async function load({ baseUrl, credentials }: MeasuredProgram, sinkUrl: string): Promise<void> {
  const { org_id, team_id, team_api_key, management_key } = credentials();
  const manage = callerOf(baseUrl, { 'x-management-key': management_key });
  await manage('POST', `/v1/org/${org_id}/team/${team_id}/sandbox/webhook`, { url: sinkUrl });
  const call = callerOf(baseUrl, { 'x-service-api-key': team_api_key });
  const kits = await call<{ data: { id: string }[] }>('GET', '/v3/lab_test?collection_method=testkit&lab_test_limit=1');
  let rounds = REQUESTS / REQUESTS_A_ROUND;
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      while (rounds-- > 0) await playRound(call, `memory-${client}-${rounds}`, kits.data[0]?.id as string);
    }),
  );
}

/** Sends ten requests of different kinds, as a customer typically does. */
async function playRound(call: Call, clientUserId: string, labTestId: string): Promise<void> {
  const { user_id } = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: clientUserId });
  await call('PATCH', `/v2/user/${user_id}/info`, insuranceRequest.insured);
  await call('POST', `/v2/user/${user_id}/insurance`, insuranceRequest);
  await call('GET', `/v2/user/${user_id}/insurance/latest`);
  const { order } = await call<{ order: { id: string } }>('POST', '/v3/order/testkit', {
    user_id,
    lab_test_id: labTestId,
    shipping_details: shipping,
  });
  await call('POST', `/v3/order/${order.id}/test`);
  await call('GET', `/v3/order/${order.id}`);
  await call('GET', '/v3/orders?size=10');
  await call('GET', `/v2/user/resolve/${clientUserId}`);
  await call('GET', '/v3/lab_test?lab_test_limit=5');
}

/** Returns the memory of the machine that the process holds (VmRSS), without swapped pages. */
function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

async function startSink(): Promise<{ url: string; received: () => number; close: () => void }> {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      received += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received: () => received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
