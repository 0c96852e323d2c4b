import type { Db } from '../src/db/open.ts';

/** Takes so many connections of the pool, as slow statements do, until they are given back. */
export async function holdConnections(db: Db, count: number): Promise<() => Promise<void>> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const held: Promise<void>[] = [];
  for (let n = 0; n < count; n += 1)
    await new Promise<void>((taken) => held.push(db.connection().execute(async () => (taken(), released))));
  return async () => {
    release();
    await Promise.all(held);
  };
}
