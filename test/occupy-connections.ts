import type { Db } from '../src/db/open-database.ts';

/** Takes so many connections of the pool, as slow statements do, until they are returned. */
export async function occupyConnections(db: Db, count: number): Promise<() => Promise<void>> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const occupied: Promise<void>[] = [];
  for (let n = 0; n < count; n += 1)
    await new Promise<void>((taken) => occupied.push(db.connection().execute(async () => (taken(), released))));
  return async () => {
    release();
    await Promise.all(occupied);
  };
}
