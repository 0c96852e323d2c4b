import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type Transaction } from 'kysely';
import pg from 'pg';
import type { DatabaseLimits } from '../config/options.ts';
import type { Logger } from '../log.ts';
import { columnTypes } from './column-types.ts';
import { endPool } from './end-pool.ts';
import { BY_INDEX } from './session/by-index.ts';
import { poolDriver } from './session/connection.ts';
import { DISK_FULL, Outage } from './session/outage.ts';
import { UnnotedServer } from './session/unnoted-server.ts';
import type { DB } from './tables.ts';

/** Shows nothing of any team until it is bound (bind.ts). */
export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;

export type Database = {
  db: Db;
  pool: pg.Pool;
  /** Whether a statement failed lately because the server's disk is full. */
  outOfSpace: () => boolean;
  outage: Outage;
  close: () => Promise<void>;
};

/** No statement of the service is without a limit; migrations and backups have connections of their own. */
const DEFAULT_LIMITS: DatabaseLimits = {
  statementMs: 30_000,
  lockMs: 10_000,
  idleMs: 30_000,
  silenceMs: 5_000,
  waitMs: 5_000,
};
/** A full disk is told this long after a statement met it; the requests that then come find out anew. */
const SPACE_MS = 15_000;
/** Opens a pool that acts as `role`; nothing is connected before the first query. */
export function openDatabase(options: {
  url: string;
  poolSize: number;
  /** Whether a connection that was opened stays open, for as long as it is not lost. */
  keepOpen?: boolean;
  role: 'phial_app' | 'owner';
  /** As `pg_stat_activity` shows its connections. */
  name?: 'phial api' | 'phial reserved' | 'phial strangers' | 'phial delivery' | 'phial jobs';
  /**
   * `by index`: every statement is one that goes by indexes, whatever the tables hold (record 299).
   */
  plans?: 'by cost' | 'by index';
  limits?: DatabaseLimits;
  /** Another pool on the same server, which goes away for both at once: one line tells of it. */
  beside?: Database;
  log: Logger;
}): Database {
  const { statementMs, lockMs, idleMs, silenceMs, waitMs } = options.limits ?? DEFAULT_LIMITS;
  const limits = [
    `-c statement_timeout=${statementMs}`,
    `-c lock_timeout=${lockMs}`,
    `-c idle_in_transaction_session_timeout=${idleMs}`,
  ];
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    ...(options.keepOpen ? { min: options.poolSize } : {}),
    types: columnTypes,
    application_name: options.name ?? 'phial',
    options: [
      `-c timezone=UTC`,
      // One statement takes one processor: others' requests have the rest.
      '-c max_parallel_workers_per_gather=0',
      ...(options.role === 'phial_app' ? ['-c role=phial_app', ...limits] : []),
      ...(options.plans === 'by index' ? Object.entries(BY_INDEX).map(([name, value]) => `-c ${name}=${value}`) : []),
    ].join(' '),
    connectionTimeoutMillis: waitMs,
    // The runner of jobs asks by itself; what Kysely asks is ended by its session.
    ...(options.name === 'phial jobs' ? { query_timeout: statementMs + silenceMs } : {}),
    keepAlive: true,
  });
  const outage = options.beside?.outage ?? new Outage(options.log, 'idle database connections were lost');
  pool.on('error', (error) => outage.met(error));
  pool.on('connect', () => outage.over());
  // A connection lost in use fails its query; without a listener of its own it would end the process as well.
  pool.on('connect', (client) => client.on('error', () => undefined));
  let fullAt = -Infinity;
  const unnoted = new Outage(options.log, 'a server cannot be noted, and requests are refused');
  const met = (error: unknown): void => {
    if (error instanceof UnnotedServer) unnoted.met(error.cause);
    if ((error as { code?: unknown }).code === DISK_FULL) fullAt = performance.now();
  };
  const db = new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () =>
        poolDriver(pool, { onError: met, onReady: () => unnoted.over(), silentMs: statementMs + silenceMs }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return {
    db,
    pool,
    outage,
    outOfSpace: () => performance.now() - fullAt < SPACE_MS,
    close: () => endPool(pool, () => db.destroy()),
  };
}
