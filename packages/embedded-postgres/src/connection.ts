import { Client } from 'pg';
import { type Cluster, superuser } from './cluster.ts';
import { hasCode } from './errors.ts';
import type { Postmaster } from './postmaster.ts';

/** A connection to the database `postgres` of a server. */
export interface Connection {
  client: Client;
  postmaster: Postmaster;
  /** Resolves if the connection ends, unless `expectEnd` or `close` was called before. */
  lost: Promise<Error>;
  isLost: () => boolean;
  expectEnd: () => void;
  close: () => Promise<void>;
}

/**
 * Connects to the server that postmaster.pid names. Returns an error if this server is starting, stopping or not
 * running, or if another server uses its port.
 */
export async function connect(
  cluster: Cluster,
  postmaster: Postmaster,
  applicationName: string,
): Promise<Connection | Error> {
  const client = new Client({
    host: '127.0.0.1',
    port: postmaster.port,
    user: superuser,
    password: cluster.password,
    database: 'postgres',
    application_name: applicationName,
    ssl: false,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  const watch = watchEnd(client);
  try {
    await client.connect();
    return {
      client,
      postmaster,
      ...watch,
      close: () => {
        watch.expectEnd();
        return client.end();
      },
    };
  } catch (error) {
    watch.expectEnd();
    await client.end().catch(() => undefined);
    if (isUnreachable(error) || isOfAnotherServer(error)) return error as Error;
    throw error;
  }
}

function watchEnd(client: Client): Pick<Connection, 'lost' | 'isLost' | 'expectEnd'> {
  let ended = false;
  let expected = false;
  let cause: Error | undefined;
  const lost = new Promise<Error>((resolve) => {
    const recordEnd = (error?: Error): void => {
      ended = true;
      cause ??= error;
      if (!expected) resolve(new Error('The connection to the embedded PostgreSQL was lost.', { cause }));
    };
    client.on('error', recordEnd).on('end', () => recordEnd());
  });
  return {
    lost,
    isLost: () => ended,
    expectEnd: () => {
      expected = true;
    },
  };
}

/** Returns true if the server responds, but only to say that it is starting, recovering or shutting down. */
export function isInTransition(error: Error): boolean {
  return hasCode(error, '57P01', '57P02', '57P03');
}

/**
 * Returns true if the server gave no usable response: it has ended or is ending, has no free connection, or the
 * connection broke.
 */
export function isUnreachable(error: unknown): boolean {
  return (
    error instanceof Error &&
    (isInTransition(error) ||
      hasCode(error, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '53300', '08006') ||
      /^Connection terminated|timeout|not queryable/.test(error.message))
  );
}

/**
 * Returns true if the server refused our password. Then it is another PostgreSQL, which uses the port of an old
 * postmaster.pid.
 */
function isOfAnotherServer(error: unknown): boolean {
  return hasCode(error, '28P01', '28000');
}
