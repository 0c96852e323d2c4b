import { Client } from 'pg';
import { type Cluster, superuser } from './cluster.ts';
import { hasCode } from './errors.ts';
import type { Postmaster } from './postmaster.ts';

/** An open connection to the database `postgres` of a server, which tells when it breaks. */
export interface Connection {
  client: Client;
  postmaster: Postmaster;
  /** Resolves when the connection ends before `expectEnd` or `close` was called. */
  lost: Promise<Error>;
  isLost: () => boolean;
  expectEnd: () => void;
  close: () => Promise<void>;
}

/**
 * Connects to a server that postmaster.pid names. Answers with the error instead when the server is starting,
 * stopping, no more, or another one that happens to have its port.
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
    const settle = (error?: Error): void => {
      ended = true;
      cause ??= error;
      if (!expected) resolve(new Error('The connection to the embedded PostgreSQL was lost.', { cause }));
    };
    client.on('error', settle).on('end', () => settle());
  });
  return {
    lost,
    isLost: () => ended,
    expectEnd: () => {
      expected = true;
    },
  };
}

/** The server answers, but is starting, recovering or shutting down. */
export function isInTransition(error: Error): boolean {
  return hasCode(error, '57P01', '57P02', '57P03');
}

/** No usable answer: gone, going, full, or cut off in the middle. */
export function isUnreachable(error: unknown): boolean {
  return (
    error instanceof Error &&
    (isInTransition(error) ||
      hasCode(error, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '53300', '08006') ||
      /^Connection terminated|timeout|not queryable/.test(error.message))
  );
}

/** A left-over postmaster.pid may name a port that a foreign PostgreSQL has since taken. */
function isOfAnotherServer(error: unknown): boolean {
  return hasCode(error, '28P01', '28000');
}
