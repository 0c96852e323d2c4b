import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lowStatuses, orderKit, readOrder, simulate, subscribe, type OrderBody } from './factories.ts';
import {
  endPrograms,
  makeFolder,
  postmasterPid,
  serve,
  servingPid,
  startProgram,
  teamAt,
  untilGone,
  type Program,
} from './program.ts';
import { startEndpoint } from './endpoint.ts';
import { copyReadyDataDir } from './ready-data-dir.ts';
import { readDataDir } from '../packages/embedded-postgres/test/read-data-dir.ts';

let dataDir: string;
/** The tests kill one program after the other on one data directory. Each leaves what it started last. */
let last: Program | null = null;
beforeAll(async () => {
  dataDir = await copyReadyDataDir();
});
afterAll(endPrograms);

const start = async (more: { port?: number } = {}): Promise<Program> => (last = await serve({ dataDir, ...more }));

/** Takes the program of the test before, if that left one. */
async function running(): Promise<Program> {
  const left = last;
  last = null;
  return left ?? serve({ dataDir });
}

/** Answers from before the kill are there after the next start, with the same keys, and the service accepts more. */
async function expectStored(next: Program, order: OrderBody): Promise<void> {
  const team = teamAt(next);
  expect((await readOrder(team, order.id)).events).toEqual(order.events);
  expect((await simulate(team, order.id)).status).toBe(200);
}

test('after kill -9 of npm its program ends by itself, and the next start waits for it and takes over', async () => {
  const first = await serve({ by: 'npm', dataDir });
  const order = await orderKit(teamAt(first));
  const orphan = await servingPid(first.dataDir);
  expect(orphan).not.toBe(first.pid);
  await first.kill('SIGKILL');
  const next = await start({ port: first.port });
  await untilGone(orphan);
  await expectStored(next, order);
});

test('after kill -9 of node the next start has its port and its data, and continues simulated steps', async () => {
  const endpoint = await startEndpoint();
  try {
    const first = await running();
    const stored = await orderKit(teamAt(first));
    await subscribe(teamAt(first), endpoint);
    const order = await orderKit(teamAt(first));
    expect((await simulate(teamAt(first), order.id, '?delay=1')).status).toBe(200);
    await expect.poll(() => endpoint.received.length).toBeGreaterThanOrEqual(3);
    await first.kill('SIGKILL');
    const next = await start({ port: first.port });
    expect(next.output()).toMatch(/attached to the running PostgreSQL/);
    const steps = ['ordered', 'awaiting_registration', 'transit_customer', 'out_for_delivery', 'with_customer'];
    await expect
      .poll(() => new Set(endpoint.received.map(({ id }) => id)).size, { timeout: 15_000 })
      .toBe(steps.length);
    // The kill came between two of the steps, and each happened once.
    expect(lowStatuses(await readOrder(teamAt(next), order.id))).toEqual(steps);
    const receivedStatuses = new Map(
      endpoint.received.map(({ id, body }) => [id, lowStatuses(body.data as OrderBody).at(-1)]),
    );
    expect([...receivedStatuses.values()].toSorted()).toEqual(steps.toSorted());
    await expectStored(next, stored);
  } finally {
    await endpoint.close();
  }
});

test('after kill -9 of the postmaster the program ends with code 1, and the next start has the data', async () => {
  const first = await running();
  const order = await orderKit(teamAt(first));
  process.kill(postmasterPid(first.dataDir), 'SIGKILL');
  expect(await first.ended).toEqual({ code: 1, signal: null });
  expect(first.output()).toMatch(/PostgreSQL went away/);
  await expectStored(await start(), order);
});

test('after kill -9 of node while it makes the database files the next start makes them again', async () => {
  const empty = join(makeFolder(), 'data');
  const first = await startProgram({ dataDir: empty });
  const found = (): string[] => {
    try {
      return readdirSync(empty, { recursive: true }) as string[];
    } catch {
      return [];
    }
  };
  await expect.poll(() => found().some((name) => name.endsWith('/base')), { interval: 2, timeout: 20_000 }).toBe(true);
  await first.kill('SIGKILL');
  expect(readdirSync(empty)).not.toContain('postgres');
  const next = await serve({ dataDir: empty });
  expect(await readDataDir(empty)).toEqual(['credentials.json', 'postgres']);
  expect((await orderKit(teamAt(next))).status).toBe('received');
});
