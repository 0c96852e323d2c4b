import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type Transaction } from 'kysely';
import pg from 'pg';
import type { DatabaseLimits } from '../config/options.ts';
import type { Logger } from '../log.ts';
import { columnTypes } from './column-types.ts';
import { endPool } from './end-pool.ts';
import { BY_INDEX } from './session/by-index.ts';
import { poolDriver } from './session/scoped-connection.ts';
import { DISK_FULL, Outage } from './session/outage.ts';
import { UnrecordedServer } from './session/unrecorded-server.ts';
import type { Traces } from '../traces/traces.ts';
import type { DB } from './tables.ts';

/**
 * A pool of connections. A connection sees no rows of any team until a context binds it to a scope (session/bind.ts).
 */
export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;

export type Database = {
  db: Db;
  pool: pg.Pool;
  /** Returns true if a statement failed recently because the server's disk is full. */
  outOfSpace: () => boolean;
  outage: Outage;
  close: () => Promise<void>;
};

/**
 * The time limits of every statement of the service. Migrations and backups use their own connections without these
 * limits.
 */
const DEFAULT_LIMITS: DatabaseLimits = {
  statementMs: 30_000,
  lockMs: 10_000,
  idleMs: 30_000,
  silenceMs: 5_000,
  waitMs: 5_000,
};
/**
 * After a statement failed because of a full disk, the process reports a full disk for this long. Then the next request
 * tries the database again.
 */
const SPACE_MS = 15_000;
/** Makes a pool whose connections act as `role`. The pool connects at the first query. */
export function openDatabase(options: {
  url: string;
  poolSize: number;
  /** True if a connection stays open while it is idle. */
  shouldStayOpen?: boolean;
  role: 'phial_app' | 'owner';
  /** The name of these connections in `pg_stat_activity`. */
  name?: 'phial api' | 'phial reserved' | 'phial anonymous' | 'phial delivery' | 'phial jobs';
  /** With `by index`, PostgreSQL uses indexes in every plan, even if a table is small or its statistics are old. */
  plans?: 'by cost' | 'by index';
  limits?: DatabaseLimits;
  /** Another pool of the same server. If the server is unavailable, both pools fail, and they log this outage once. */
  beside?: Database;
  /** Gets a span of each statement of a request or job. */
  traces?: Traces | null;
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
    ...(options.shouldStayOpen ? { min: options.poolSize } : {}),
    types: columnTypes,
    application_name: options.name ?? 'phial',
    options: [
      `-c timezone=UTC`,
      // PostgreSQL could run a statement on several processors. We allow one, and leave the others to other requests.
      '-c max_parallel_workers_per_gather=0',
      ...(options.role === 'phial_app' ? ['-c role=phial_app', ...limits] : []),
      ...(options.plans === 'by index' ? Object.entries(BY_INDEX).map(([name, value]) => `-c ${name}=${value}`) : []),
    ].join(' '),
    connectionTimeoutMillis: waitMs,
    // The library that runs jobs sends its queries without Kysely. Our time limit for queries is in Kysely's connection
    // (scoped-connection.ts), so these queries need one of their own.
    ...(options.name === 'phial jobs' ? { query_timeout: statementMs + silenceMs } : {}),
    keepAlive: true,
  });
  const outage = options.beside?.outage ?? new Outage(options.log, 'idle database connections were lost');
  pool.on('error', (error) => outage.met(error));
  pool.on('connect', () => outage.over());
  // If a connection is lost in use, its query fails. Without this listener, the error would also end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  let fullAt = -Infinity;
  const unnoted = new Outage(options.log, 'a server cannot be recorded, and requests are refused');
  const met = (error: unknown): void => {
    if (error instanceof UnrecordedServer) unnoted.met(error.cause);
    if ((error as { code?: unknown }).code === DISK_FULL) fullAt = performance.now();
  };
  const db = new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () =>
        poolDriver(pool, {
          onError: met,
          onReady: () => unnoted.over(),
          silentMs: statementMs + silenceMs,
          traces: options.traces ?? null,
        }),
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
