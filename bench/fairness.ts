// Measures how long a team waits for its webhooks while another team's endpoints hang (send no responses). Compares
// that with rounds without the other team.
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { Type } from 'typebox';
import type { Ctx } from '../src/context.ts';
import { acrossTeams, boundToTeam } from '../src/db/session/bind.ts';
import { inTransaction } from '../src/db/transaction.ts';
import { notifyEndpointChange } from '../src/delivery/endpoint-cache.ts';
import { restartQueue } from '../src/delivery/queues/queue-leases.ts';
import { defineEvent } from '../src/events/define.ts';
import { publishEvents } from '../src/events/publish.ts';
import { createTeam } from '../src/tenancy/teams/create.ts';
import { besideProgram } from './beside-program.ts';
import { median } from './describe-machine.ts';
import type { MeasuredProgram } from './measured-program.ts';
import { callerOf } from './order-traffic.ts';
import { judge } from './judge.ts';

const GOAL = 1.2;
const ROUNDS = 6;
const ROUND_MS = 6_000;
/** Rounds at the start that do not count, because V8 still compiles hot code during the first seconds. */
const WARM_UP_ROUNDS = 2;
/**
 * A pause after each change, so that a round measures a steady state. With the loud team it is more than two time-outs.
 */
const STEADY_AFTER_MS = { alone: 1_500, beside: 5_000 };
const EVENTS_A_SECOND = 25;
const ENDPOINTS = 4;
const HANGING_ENDPOINTS = 100;
const BACKLOG = 200_000;
/** The time-out is short, so that hanging attempts end, are recorded, and start again within a round. */
const env = { PHIAL_WEBHOOK_TIMEOUT_SECONDS: '2', PHIAL_WEBHOOKS_PER_TEAM: String(HANGING_ENDPOINTS) };

const eventType = defineEvent({ name: 'daily.data.steps.created', summary: '', data: Type.Object({}) });

type Round = { p50: number; p99: number };

/** Returns true if the goal is reached. */
export const benchFairness = (): Promise<boolean> => besideProgram(env, compare);

async function compare(program: MeasuredProgram, ctx: Ctx, ownerUrl: string): Promise<boolean> {
  const { org_id, team_id: loudTeam, management_key } = program.credentials();
  const manage = callerOf(program.baseUrl, { 'x-management-key': management_key });
  const subscribe = async (team: string, url: string, endpoints: number): Promise<void> => {
    for (let made = 0; made < endpoints; made += 1)
      await manage('POST', `/v1/org/${org_id}/team/${team}/sandbox/webhook`, { url });
  };
  const quietTeam = (await createTeam(ctx, { org_id, name: 'Quiet' })).id;
  const arrivals = await startEndpoint();
  await subscribe(quietTeam, arrivals.url, ENDPOINTS);
  const loud = await openLoudTeam(ctx, loudTeam, ownerUrl);
  await subscribe(loudTeam, loud.url, HANGING_ENDPOINTS);
  await loud.prepare();

  const alone: Round[] = [];
  const beside: Round[] = [];
  const measure = async (kind: keyof typeof STEADY_AFTER_MS): Promise<Round> => {
    await wait(STEADY_AFTER_MS[kind]);
    return quantiles(await arrivals.measure((note) => publishSteadily(ctx, quietTeam, note)));
  };
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round += 1) {
    const without = await measure('alone');
    await loud.begin();
    const along = await measure('beside');
    const hanging = loud.hanging();
    await loud.end();
    if (round < 1) continue;
    alone.push(without);
    beside.push(along);
    console.log(
      `round ${round}: alone ${describe(alone.at(-1))}; beside ${HANGING_ENDPOINTS} endpoints that hang ` +
        `${describe(beside.at(-1))} ` +
        `(${hanging} of their requests running at the end)`,
    );
  }
  loud.close();
  arrivals.close();
  const of = (rounds: Round[], key: keyof Round): number => median(rounds.map((round) => round[key]));
  const ratio = of(beside, 'p99') / of(alone, 'p99');
  console.log(
    `medians of ${ROUNDS} rounds: p50 ${of(alone, 'p50').toFixed(1)} and ${of(beside, 'p50').toFixed(1)} ms, ` +
      `p99 ${of(alone, 'p99').toFixed(1)} and ${of(beside, 'p99').toFixed(1)} ms`,
  );
  return judge('p99 of webhooks, of that alone', ratio, 'at most', GOAL);
}

const describe = (round: Round | undefined): string =>
  `p50 ${round?.p50.toFixed(1)} ms, p99 ${round?.p99.toFixed(1)} ms`;

function quantiles(delays: number[]): Round {
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Publishes at a fixed rate for the length of a round. Calls `note` for each event just before its commit. */
async function publishSteadily(ctx: Ctx, team: string, note: (eventId: string) => void): Promise<void> {
  const bound = boundToTeam(ctx, team);
  const begin = performance.now();
  const publications: Promise<unknown>[] = [];
  for (let n = 0; n < (EVENTS_A_SECOND * ROUND_MS) / 1000; n += 1) {
    await wait(Math.max(0, begin + (n * 1000) / EVENTS_A_SECOND - performance.now()));
    publications.push(
      inTransaction(bound, async (tx) => {
        const [id] = await publishEvents({ ...tx, team: { id: team } }, [
          { type: eventType, user: null, data: {}, origin: 'live' },
        ]);
        note(id as string);
      }),
    );
  }
  await Promise.all(publications);
}

type Arrivals = {
  url: string;
  /** Returns the milliseconds from the commit of each published event to its arrival, one figure for each endpoint. */
  measure: (publish: (note: (eventId: string) => void) => Promise<void>) => Promise<number[]>;
  close: () => void;
};

/** Starts the server of the quiet team's endpoints. It responds at once. */
async function startEndpoint(): Promise<Arrivals> {
  let committed = new Map<string, number>();
  let delays: number[] = [];
  const server = createServer((request, response) => {
    const at = committed.get(request.headers['webhook-id'] as string);
    if (at !== undefined) delays.push(performance.now() - at);
    request.resume().on('end', () => response.writeHead(204).end());
  });
  const url = await listen(server);
  return {
    url,
    measure: async (publish) => {
      committed = new Map();
      delays = [];
      await publish((id) => committed.set(id, performance.now()));
      const deadline = performance.now() + 10_000;
      while (delays.length < committed.size * ENDPOINTS && performance.now() < deadline) await wait(20);
      // Missing webhooks would improve the figure.
      if (delays.length < committed.size * ENDPOINTS)
        throw new Error(`${committed.size * ENDPOINTS - delays.length} webhooks of the quiet team did not arrive.`);
      return delays;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type LoudTeam = {
  url: string;
  /** Publishes the backlog, which waits until `begin`. So the many rows are not written during a round. */
  prepare: () => Promise<void>;
  /** Enables the endpoints with the whole backlog. */
  begin: () => Promise<void>;
  /** Disables the endpoints and ends hanging requests. The waiting deliveries stay. */
  end: () => Promise<void>;
  /** The number of hanging requests at the moment. */
  hanging: () => number;
  close: () => void;
};

async function openLoudTeam(ctx: Ctx, team: string, ownerUrl: string): Promise<LoudTeam> {
  const sockets = new Set<Socket>();
  let hanging = 0;
  const server = createServer((request) => {
    hanging += 1;
    request.resume();
    request.socket.once('close', () => (hanging -= 1));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const url = await listen(server);
  const owner = async (...statements: string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: ownerUrl });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const setDisabled = (disabled: boolean): Promise<void> =>
    inTransaction(acrossTeams(ctx), async ({ db }) => {
      const { rows } = await sql<{ id: string }>`
        update webhooks set disabled = ${disabled} where team_id = ${team} returning id`.execute(db);
      for (const { id } of rows) {
        await notifyEndpointChange(db, id);
        if (!disabled) await restartQueue(db, id);
      }
    });
  return {
    url,
    prepare: async () => {
      await setDisabled(true);
      const bound = boundToTeam(ctx, team);
      const one = { type: eventType, user: null, data: {}, origin: 'live' };
      for (let left = BACKLOG / HANGING_ENDPOINTS; left > 0; left -= 100) {
        await inTransaction(bound, (tx) => publishEvents({ ...tx, team: { id: team } }, Array(100).fill(one)));
      }
      await owner('vacuum analyze deliveries', 'checkpoint');
    },
    begin: async () => {
      await setDisabled(false);
    },
    end: async () => {
      await setDisabled(true);
      for (const socket of sockets) socket.destroy();
      await wait(STEADY_AFTER_MS.alone);
      await owner(
        `delete from retries where team_id = '${team}'`,
        'vacuum deliveries, retries, endpoint_queues, webhooks',
      );
    },
    hanging: () => hanging,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`));
  });
}
