import type pg from 'pg';
import { isUnavailable } from '../db/session/unavailable.ts';

/**
 * Returns `pool` for graphile-worker, which deletes or puts back a job at its end. It repeats that statement only after
 * errors with certain codes. Nobody catches its other errors, so each of them would end the process. Here, each error
 * that means "the database is unavailable" gets the code of these that is repeated soonest: at most five seconds later,
 * for eight minutes. The statement names the job by its id, so it may be repeated. After the end of the pool nothing is
 * repeated, and the job stays for the next process.
 */
export function withRepeatableEnds(pool: pg.Pool): pg.Pool {
  const connect = (callback?: Parameters<pg.Pool['connect']>[0]): unknown =>
    callback ? pool.connect(callback) : pool.ending ? NEVER : repeatable(pool.connect().then(withRepeatableQueries));
  return instead(pool, { connect });
}

/** Keeps no process alive. */
const NEVER = new Promise<never>(() => undefined);

const withRepeatableQueries = (client: pg.PoolClient): pg.PoolClient =>
  instead(client, {
    query: (...given: unknown[]) => {
      const asked: unknown = Reflect.apply(client.query, client, given);
      return asked instanceof Promise ? repeatable(asked) : asked;
    },
  });

/** Returns `object` with other methods. The rest of its methods still act on `object` itself. */
function instead<T extends object>(object: T, methods: Record<string, unknown>): T {
  return new Proxy(object, {
    get: (_, name) => {
      if (typeof name === 'string' && Object.hasOwn(methods, name)) return methods[name];
      const own: unknown = Reflect.get(object, name, object);
      return typeof own === 'function' ? (own.bind(object) as unknown) : own;
    },
  });
}

async function repeatable<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && isUnavailable(error)) Object.assign(error, { code: '40P01' });
    throw error;
  }
}
