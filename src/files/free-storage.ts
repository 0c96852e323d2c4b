// What is left for files: on the disk of uploads, and where the database lies. Of a server that is not ours only its size is
// known, which the operator can bound.
import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { freeBytes } from '../disk-space.ts';
import { AppError } from '../errors.ts';

type Free = { of: 'uploads' | 'database'; bytes: number };

/** A look at a disk or at the size of a database is good for this long. */
const BELIEVED_MS = 5_000;
const AGAIN_SECONDS = 60;

const looks = new WeakMap<Ctx['config'], { at: number; free: Promise<Free[]> }>();

/** Throws storage_full where less is left than is kept in reserve. */
export async function refuseWhereStorageIsFull(ctx: Ctx): Promise<void> {
  const known = looks.get(ctx.config);
  const look =
    known && performance.now() - known.at < BELIEVED_MS ? known : { at: performance.now(), free: freeStorage(ctx) };
  looks.set(ctx.config, look);
  const free = await freeOf(ctx, look);
  if (free.every(({ bytes }) => bytes >= ctx.config.storage.reserveBytes)) return;
  throw new AppError('storage_full', 'There is no room for files just now. Send this one again later.', {
    retryAfterSeconds: AGAIN_SECONDS,
  });
}

/** A look that failed is none. */
async function freeOf({ config }: Ctx, look: { free: Promise<Free[]> }): Promise<Free[]> {
  try {
    return await look.free;
  } catch (error) {
    looks.delete(config);
    throw error;
  }
}

/** What is left, of all that is known. */
export async function freeStorage({ config, db }: Pick<Ctx, 'config' | 'db'>): Promise<Free[]> {
  const { uploadDir, storage } = config;
  const free: Free[] = [];
  if (uploadDir !== null) free.push({ of: 'uploads', bytes: await freeBytes(uploadDir) });
  const ofDatabase: number[] = [];
  if (storage.databaseDir !== null) ofDatabase.push(await freeBytes(storage.databaseDir));
  if (storage.databaseBytes !== null) {
    const { rows } = await sql<{ bytes: number }>`
      select pg_database_size(current_database())::float8 as bytes`.execute(db);
    ofDatabase.push(Math.max(0, storage.databaseBytes - (rows[0]?.bytes ?? 0)));
  }
  if (ofDatabase.length > 0) free.push({ of: 'database', bytes: Math.min(...ofDatabase) });
  return free;
}
