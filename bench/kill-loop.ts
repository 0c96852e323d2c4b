// Kills the program at random moments while clients order, also at a connected laboratory. Then checks that no
// confirmed data is lost and that no order is sent twice.
import { parseArgs } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describeMachine } from './describe-machine.ts';
import { findFreePort } from './free-port.ts';
import { prepareProgram, type KillableProgram } from './killable-program.ts';
import { startLaboratory, type Laboratory } from './mllp-laboratory.ts';
import {
  connectLaboratory,
  judgeLaboratory,
  startLaboratoryTraffic,
  type LaboratoryLedger,
  type LaboratoryVerdict,
} from './laboratory-traffic.ts';
import { makeFolder, removeFolder } from './measured-program.ts';
import { callerOf, EVENTS_WHEN_ORDERED, startTraffic, type Call, type Ledger } from './order-traffic.ts';
import { startVerifyingEndpoint, type VerifyingEndpoint } from './verifying-endpoint.ts';

const CLIENTS = 8;
/** How many of the clients order at the connected laboratory. */
const LABORATORY_CLIENTS = 2;
const MAX_ROUNDS = 200;
const KILL_AFTER_MS = { least: 100, most: 1500 };
const LATEST_KILL_MS = 60_000;
const POSTMASTER_EVERY = 5;
/**
 * No webhook attempt lasts longer than a second. If a kill cuts an attempt off, the next start takes its delivery queue
 * back and repeats it.
 */
const env = { PHIAL_WEBHOOK_TIMEOUT_SECONDS: '1' };
const DELIVERED_WITHIN_MS = 180_000;

type Verdict = {
  unreadable: string[];
  expected: string[];
  lost: string[];
  doubled: string[];
  unansweredButThere: number;
};

/** Returns the exit code: 0 if everything is right, 1 if anything is lost or wrong, 2 for a wrong command line. */
export async function killLoop(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '20' },
      // A busy machine begins its work late. With a later kill, more of it is under way.
      'kill-within-ms': { type: 'string', default: String(KILL_AFTER_MS.most) },
    },
  });
  const most = Number(values['kill-within-ms']);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MAX_ROUNDS) {
    console.error(`--rounds must be a whole number from 1 to ${MAX_ROUNDS}.`);
    return 2;
  }
  if (!Number.isInteger(most) || most < KILL_AFTER_MS.least || most > LATEST_KILL_MS) {
    console.error(`--kill-within-ms must be a whole number from ${KILL_AFTER_MS.least} to ${LATEST_KILL_MS}.`);
    return 2;
  }
  const folder = makeFolder();
  const endpoint = await startVerifyingEndpoint();
  const resultsPort = await findFreePort();
  const laboratory = await startLaboratory(resultsPort);
  const program = await prepareProgram(folder, { ...env, PHIAL_HL7_PORT: String(resultsPort) });
  console.log(`${rounds} rounds, ${CLIENTS} clients. ${describeMachine()}`);
  const fine = await playToTheEnd({ program, endpoint, laboratory, folder }, { rounds, most }).catch((error: Error) => {
    console.log(error.message);
    return false;
  });
  const code = await program.stop();
  endpoint.close();
  laboratory.close();
  if (code !== 0) console.log(`The last stop ended with code ${code}.`);
  if (fine && code === 0) removeFolder(folder);
  else console.log(`The folder to examine: ${folder}`);
  return fine && code === 0 ? 0 : 1;
}

type World = { program: KillableProgram; endpoint: VerifyingEndpoint; laboratory: Laboratory; folder: string };

async function playToTheEnd(
  { program, endpoint, laboratory, folder }: World,
  { rounds, most }: { rounds: number; most: number },
): Promise<boolean> {
  await program.start();
  const { org_id, team_id, team_api_key, management_key } = program.credentials();
  const call = callerOf(program.baseUrl, { 'x-service-api-key': team_api_key });
  const manage = callerOf(program.baseUrl, { 'x-management-key': management_key });
  const webhooks = `/v1/org/${org_id}/team/${team_id}/sandbox/webhook`;
  const webhook = await manage<{ id: string }>('POST', webhooks, { url: endpoint.url });
  endpoint.trust((await manage<{ key: string }>('GET', `${webhooks}/${webhook.id}/secret`)).key);
  const kits = await call<{ data: { id: string }[] }>('GET', '/v3/lab_test?collection_method=testkit&lab_test_limit=1');

  const atLaboratory = startLaboratoryTraffic(call, {
    clients: LABORATORY_CLIENTS,
    labTestId: await connectLaboratory(call, { folder, port: laboratory.port, env: program.env }),
  });
  const traffic = startTraffic(call, { clients: CLIENTS - LABORATORY_CLIENTS, labTestId: kits.data[0]?.id ?? '' });
  try {
    for (let round = 1; round <= rounds; round += 1)
      await playRound(program, traffic.ledger, endpoint, { round, rounds, most });
    await wait(KILL_AFTER_MS.most);
  } finally {
    await Promise.all([traffic.stop(), atLaboratory.stop()]);
  }
  const laboratoryVerdict = await judgeLaboratory(call, atLaboratory.ledger, laboratory);
  const isRight = reportLaboratory(atLaboratory.ledger, laboratory, laboratoryVerdict);
  const verdict = await judge(call, { ...traffic.ledger, atLaboratory: atLaboratory.ledger }, endpoint);
  return report(traffic.ledger, endpoint, verdict) && isRight;
}

async function playRound(
  program: KillableProgram,
  ledger: Ledger,
  endpoint: VerifyingEndpoint,
  { round, rounds, most }: { round: number; rounds: number; most: number },
): Promise<void> {
  const after = KILL_AFTER_MS.least + Math.random() * (most - KILL_AFTER_MS.least);
  await wait(after);
  const what = round % POSTMASTER_EVERY === 0 || round === rounds ? 'node and postmaster' : 'node';
  await program.kill(what);
  const readyMs = await program.start();
  console.log(
    `round ${String(round).padStart(3)}: killed ${what} after ${Math.round(after)} ms, ready again after ` +
      `${Math.round(readyMs)} ms; ` +
      `${ledger.orders.size} orders answered, ${endpoint.counts.received} webhooks received`,
  );
}

/** Reads every order of the team, confirmed or not, and waits for the webhooks of all their events. */
async function judge(
  call: Call,
  ledger: Ledger & { atLaboratory: LaboratoryLedger },
  endpoint: VerifyingEndpoint,
): Promise<Verdict> {
  const unreadable: string[] = [];
  const expected: string[] = [];
  const there = await listOrders(call);
  const atLaboratory = new Set(ledger.atLaboratory.orders.values());
  for (const id of atLaboratory) if (!there.has(id)) unreadable.push(`order ${id} is not listed`);
  for (const id of ledger.orders.keys()) if (!there.has(id)) unreadable.push(`order ${id} is not listed`);
  for (const user of ledger.users) {
    await call('GET', `/v2/user/${user}`).catch((error: Error) => unreadable.push(`user ${user}: ${error.message}`));
  }
  for (const id of there) {
    try {
      const { events } = await call<{ events: { id: number }[] }>('GET', `/v3/order/${id}`);
      const inOrder = events.every((event, index) => event.id === index + 1);
      const promised = ledger.orders.get(id) ?? EVENTS_WHEN_ORDERED;
      if (!inOrder || events.length < promised)
        unreadable.push(`order ${id} has events ${events.map((event) => event.id).join(', ')}, promised ${promised}`);
      expected.push(...events.map((_, index) => `${id} ${index + 1}`));
    } catch (error) {
      unreadable.push(`order ${id}: ${(error as Error).message}`);
    }
  }
  const lost = await untilReceived(expected, endpoint);
  const doubled = [...endpoint.messages].filter(([, ids]) => ids.size > 1).map(([step]) => step);
  return {
    unreadable,
    expected,
    lost,
    doubled,
    unansweredButThere: [...there].filter((id) => !ledger.orders.has(id) && !atLaboratory.has(id)).length,
  };
}

async function listOrders(call: Call): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let page = 1; ; page += 1) {
    const { orders, total } = await call<{ orders: { id: string }[]; total: number }>(
      'GET',
      `/v3/orders?size=100&page=${page}`,
    );
    for (const { id } of orders) ids.add(id);
    if (orders.length === 0 || page * 100 >= total) return ids;
  }
}

async function untilReceived(expected: string[], endpoint: VerifyingEndpoint): Promise<string[]> {
  const deadline = Date.now() + DELIVERED_WITHIN_MS;
  let said = Infinity;
  for (;;) {
    const missing = expected.filter((step) => !endpoint.messages.has(step));
    if (missing.length === 0 || Date.now() > deadline) return missing;
    if (missing.length < said)
      console.log(`waiting for ${missing.length} webhooks whose leases or retries are due later`);
    said = missing.length;
    await wait(5000);
  }
}

function reportLaboratory(
  { orders, cancelled, wrong }: LaboratoryLedger,
  laboratory: Laboratory,
  { neverSent, sentTwice, notCancelled, lost }: LaboratoryVerdict,
): boolean {
  const { counts, ordered, acknowledged } = laboratory;
  const distinct = [...ordered.values(), ...laboratory.cancelled.values()].reduce((sum, ids) => sum + ids.size, 0);
  console.log(
    [
      '',
      `orders at the laboratory   ${orders.size}, of them ${cancelled.size} cancelled`,
      `messages that it received  ${counts.received}, of them ${counts.received - distinct} again under the ` +
        'same control id',
      `cut off by a kill          ${counts.cutOff} before it answered`,
      `orders never sent          ${neverSent.length}`,
      `orders sent twice          ${sentTwice.length}`,
      `cancelled and not sent     ${notCancelled.length}`,
      `results acknowledged       ${acknowledged.size}, sent ${counts.resultsSent} times`,
      `results lost               ${lost.length}`,
      `wrong answers              ${wrong.length + laboratory.wrong.length}`,
    ].join('\n'),
  );
  const bad = [
    ...wrong,
    ...laboratory.wrong,
    ...[...neverSent, ...sentTwice, ...notCancelled, ...lost].map((id) => `user ${id}`),
  ];
  for (const line of bad.slice(0, 20)) console.log(`  ${line}`);
  return bad.length === 0 && acknowledged.size > 0;
}

function report(ledger: Ledger, { counts, messages }: VerifyingEndpoint, verdict: Verdict): boolean {
  const { unreadable, expected, lost, doubled, unansweredButThere } = verdict;
  const distinct = [...messages.values()].reduce((sum, ids) => sum + ids.size, 0);
  console.log(
    [
      '',
      `users answered         ${ledger.users.size}`,
      `orders answered        ${ledger.orders.size} (and ${unansweredButThere} written whose answer a kill cut off)`,
      `requests unanswered    ${ledger.unanswered}`,
      `events expected        ${expected.length}`,
      `events received        ${expected.length - lost.length}`,
      `webhooks received      ${counts.received}, of them ${counts.received - distinct} duplicates`,
      `cut off by a kill      ${counts.cutOff} deliveries, to be made again`,
      `bad signatures         ${counts.badSignatures}`,
      `events published twice ${doubled.length}`,
      `not as answered        ${unreadable.length}`,
      `wrong answers          ${ledger.wrong.length}`,
      `lost                   ${lost.length}`,
    ].join('\n'),
  );
  const wrong = [
    ...unreadable,
    ...ledger.wrong,
    ...doubled.map((step) => `published twice: ${step}`),
    ...lost.map((step) => `never received: ${step}`),
  ];
  for (const line of wrong.slice(0, 20)) console.log(`  ${line}`);
  return wrong.length === 0 && counts.badSignatures === 0 && ledger.orders.size > 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.exitCode = await killLoop(process.argv.slice(2));
