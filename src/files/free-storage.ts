// Measures the free space for files, on the disk of uploads and on the disk of the database. The disk of a remote
// database server is unknown to us. There we know only the size of the database, and the operator can set a limit for
// it.
import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { freeBytes } from '../disk-space.ts';
import { AppError } from '../errors.ts';

type Free = { of: 'uploads' | 'database'; bytes: number };

/** We cache a measurement for this long. */
const CACHE_MS = 5_000;
const AGAIN_SECONDS = 60;

const looks = new WeakMap<Ctx['config'], { at: number; free: Promise<Free[]> }>();

/** Throws storage_full if the free space is smaller than the reserve. */
export async function refuseWhereStorageIsFull(ctx: Ctx): Promise<void> {
  const known = looks.get(ctx.config);
  const look =
    known && performance.now() - known.at < CACHE_MS ? known : { at: performance.now(), free: freeStorage(ctx) };
  looks.set(ctx.config, look);
  const free = await freeOf(ctx, look);
  if (free.every(({ bytes }) => bytes >= ctx.config.storage.reserveBytes)) return;
  throw new AppError('storage_full', 'There is no storage for files at the moment. Send this one again later.', {
    retryAfterSeconds: AGAIN_SECONDS,
  });
}

/** Measures the free space. It does not cache a failed measurement. */
async function freeOf({ config }: Ctx, look: { free: Promise<Free[]> }): Promise<Free[]> {
  try {
    return await look.free;
  } catch (error) {
    looks.delete(config);
    throw error;
  }
}

/** Measures the free space of every disk or database whose size or limit we know. */
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
