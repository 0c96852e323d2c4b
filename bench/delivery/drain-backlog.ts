import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { cpuTime } from '../cpu-time.ts';
import { measureBusy } from '../unrelated-load.ts';
import { publishBacklog, setDisabled, type Endpoint } from './generator.ts';
import { monotonicNow } from './sink.ts';
import type { Program, Stage } from './stage.ts';

export type Drained = {
  /** Deliveries a second, from the first received byte to the last recorded outcome. */
  rate: number;
  /**
   * Microseconds of processor time for each delivery: of the program, of PostgreSQL and of the sink (the endpoint).
   * Null on systems other than Linux.
   */
  cpu: { node: number; postgres: number; sink: number } | null;
  /** The average number of busy processors, busy with any process. NaN on systems other than Linux. */
  busy: number;
  /** Bytes that PostgreSQL wrote to its write-ahead log (WAL) for each delivery. */
  walBytes: number;
  /** The faults: lost, delivered twice, badly signed, not recorded. */
  wrong: string[];
};

const LOOK_EVERY_MS = 20;
const STUCK_AFTER_MS = 60_000;

/** Publishes a backlog to disabled endpoints, enables them, and measures until every outcome is recorded. */
export async function drain(
  stage: Stage,
  programs: Program[],
  endpoints: Endpoint[],
  events: number,
): Promise<Drained> {
  const { ctx, sink, owner, ownerUrl } = stage;
  await setDisabled(ctx, endpoints, true);
  await untilLeft(owner);
  // After a checkpoint, PostgreSQL writes each page whole to the WAL when it first changes. So we make one now, and not
  // in the middle of the measurement.
  await owner.query('checkpoint');
  await publishBacklog(ctx, endpoints, events);
  await owner.query('vacuum analyze deliveries');
  await sink.forget();
  const before = await measured(stage, programs, ownerUrl);
  const busySoFar = Number.isNaN(before.node) ? () => NaN : measureBusy();
  await setDisabled(ctx, endpoints, false);
  await untilRecorded(stage, endpoints, events);
  const endedAt = monotonicNow();
  const busy = busySoFar();
  const after = await measured(stage, programs, ownerUrl);
  const { firstAt, unique, received, verified, badSignatures } = await sink.report();
  const attempts = after.attempts - before.attempts;
  const wrong = [
    ...(unique < events ? [`${events - unique} lost`] : []),
    ...(received > unique ? [`${received - unique} delivered twice`] : []),
    ...(badSignatures > 0 || verified === 0 ? [`${badSignatures} bad signatures, ${verified} good ones`] : []),
    ...(attempts === events ? [] : [`${attempts} attempts recorded of ${events} deliveries`]),
  ];
  const each = (key: 'node' | 'postgres' | 'sink'): number => ((after[key] - before[key]) * 1_000) / events;
  return {
    rate: (events * 1_000) / (endedAt - (firstAt ?? endedAt)),
    cpu: Number.isNaN(after.node) ? null : { node: each('node'), postgres: each('postgres'), sink: each('sink') },
    busy,
    walBytes: (after.wal - before.wal) / events,
    wrong,
  };
}

export function describeDrained({ rate, cpu, walBytes, wrong }: Drained): string {
  const times = cpu
    ? `, µs each: node ${cpu.node.toFixed(0)}, PostgreSQL ${cpu.postgres.toFixed(0)}, sink ${cpu.sink.toFixed(0)}`
    : '';
  return (
    `${rate.toFixed(0)}/s${times}; ${walBytes.toFixed(0)} bytes of WAL ` +
    `each${wrong.map((it) => `; WRONG: ${it}`).join('')}`
  );
}

/** Waits until no worker leases a queue of a disabled endpoint. A leased queue would start before the others. */
async function untilLeft(owner: pg.Client): Promise<void> {
  const deadline = performance.now() + STUCK_AFTER_MS;
  while (performance.now() < deadline) {
    const { rows } =
      await owner.query(`select from endpoint_queues join webhooks on webhooks.id = webhook_id and disabled
                                         where owner is not null limit 1`);
    if (rows.length === 0) return;
    await wait(LOOK_EVERY_MS);
  }
}

/**
 * Waits until every delivery has arrived and is recorded. If some are missing, returns a minute after the last one has
 * arrived.
 */
async function untilRecorded({ sink, owner }: Stage, endpoints: Endpoint[], events: number): Promise<void> {
  const ids = endpoints.map(({ webhook_id }) => webhook_id);
  let [received, changedAt] = [-1, performance.now()];
  while (performance.now() - changedAt < STUCK_AFTER_MS) {
    const report = await sink.report();
    if (report.received !== received) [received, changedAt] = [report.received, performance.now()];
    if (report.unique >= events && !(await areQueued(owner, ids))) return;
    await wait(LOOK_EVERY_MS);
  }
}

/**
 * Returns true if a delivery to one of the endpoints waits. The statement uses sub-selects instead of `exists`, for
 * which PostgreSQL may hash the whole queue. With a million rows, this takes longer than a delivery.
 */
async function areQueued(owner: pg.Client, ids: string[]): Promise<boolean> {
  const { rows } = await owner.query(
    `select from unnest($1::uuid[]) as asked (id)
      where (select true from deliveries where webhook_id = asked.id order by webhook_id, event_id limit 1)
         or (select true from retries where webhook_id = asked.id order by webhook_id, event_id limit 1)
      limit 1`,
    [ids],
  );
  return rows.length > 0;
}

type Measured = { node: number; postgres: number; sink: number; wal: number; attempts: number };

async function measured({ sink, owner }: Stage, programs: Program[], ownerUrl: string): Promise<Measured> {
  const times = await Promise.all(programs.map(({ pid }) => cpuTime(pid, ownerUrl)));
  const { rows } = await owner.query<{ wal: number; attempts: number }>(
    `select (pg_current_wal_lsn() - '0/0')::float8 as wal, (select count(*) from attempts)::float8 as attempts`,
  );
  return {
    node: times.reduce((sum, time) => sum + (time?.node ?? NaN), 0),
    postgres: times[0]?.postgres ?? NaN,
    sink: (await sink.report()).cpuMs,
    wal: rows[0]?.wal ?? NaN,
    attempts: rows[0]?.attempts ?? NaN,
  };
}
